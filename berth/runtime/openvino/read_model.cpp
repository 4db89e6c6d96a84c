#include "berth/runtime/openvino/read_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/error.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

void check_files(const fs::path& path) {
  if (!fs::exists(path)) throw Error(fmt::format("{}: no such file", path.string()));
  if (path.extension() != ".xml") return;
  fs::path weights = path;
  weights.replace_extension(".bin");
  const std::string packed = weights.string() + ".gz";
  if (!fs::exists(weights) && fs::exists(packed))
    throw Error(fmt::format("{}: its weights are compressed, expected {}; use gunzip -k {}",
                            path.string(), weights.string(), packed));
}

std::string name_of(const ov::Output<ov::Node>& input) {
  return input.get_names().empty() ? input.get_node()->get_friendly_name() : input.get_any_name();
}

bool is_called(const ov::Output<ov::Node>& input, const std::string& name) {
  return input.get_names().contains(name) || input.get_node()->get_friendly_name() == name;
}

std::string inputs_text(ov::Model& model) {
  std::vector<std::string> inputs;
  for (const auto& input : model.inputs())
    inputs.push_back(fmt::format("{} {}", name_of(input), input.get_partial_shape().to_string()));
  return fmt::format("{}", fmt::join(inputs, ", "));
}

using Shapes = std::map<ov::Output<ov::Node>, ov::PartialShape>;

void take_batch(ov::Model& model, std::int64_t batch, Shapes& shapes) {
  std::optional<ov::Dimension> first;
  for (const auto& input : model.inputs()) {
    ov::PartialShape shape = input.get_partial_shape();
    if (shape.rank().is_dynamic() || shape.size() == 0) continue;
    if (!first) first = shape[0];
    if (!shape[0].is_dynamic() && shape[0] != *first) continue;
    shape[0] = batch;
    shapes[input] = shape;
  }
}

void take_shapes(ov::Model& model, const ModelSource& source, Shapes& shapes) {
  for (const auto& [name, dimensions] : source.shapes) {
    bool found = false;
    for (const auto& input : model.inputs()) {
      if (name.empty() ? model.inputs().size() != 1 : !is_called(input, name)) continue;
      found = true;
      ov::PartialShape shape(std::vector<ov::Dimension>(dimensions.begin(), dimensions.end()));
      if (!input.get_partial_shape().rank().compatible(shape.rank()))
        throw Error(fmt::format("{}: input {} has {} dimensions, got the shape {}", source.spec,
                                name_of(input), input.get_partial_shape().size(),
                                shape.to_string()));
      shapes[input] = shape;
    }
    if (!found)
      throw Error(fmt::format("{}: no input is called '{}'; the inputs are {}", source.spec, name,
                              inputs_text(model)));
  }
}

}  // namespace

std::shared_ptr<ov::Model> read_model(ov::Core& core, const ModelSource& source) {
  check_files(source.spec);
  std::shared_ptr<ov::Model> model;
  try {
    model = core.read_model(source.spec);
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: OpenVINO cannot read it: {}", source.spec,
                            openvino_error_text(error.what())));
  }
  Shapes shapes;
  if (source.batch) take_batch(*model, *source.batch, shapes);
  take_shapes(*model, source, shapes);
  if (!shapes.empty()) {
    try {
      model->reshape(shapes);
    } catch (const std::exception& error) {
      throw Error(fmt::format("{}: does not take these input shapes ({}): {}", source.spec,
                              inputs_text(*model), openvino_error_text(error.what())));
    }
  }
  if (!std::ranges::all_of(model->inputs(),
                           [](const auto& input) { return input.get_partial_shape().is_static(); }))
    throw Error(
        fmt::format("{}: the shapes of its inputs are open ({}), expected --shape "
                    "INPUT=1,128 for each",
                    source.spec, inputs_text(*model)));
  return model;
}

}  // namespace berth
