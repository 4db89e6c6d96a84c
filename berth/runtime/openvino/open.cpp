// OpenvinoRuntime::open and zoo: a file or a network of the zoo to a Model.
//
// OpenVINO tells the formats apart itself: IR (.xml with its .bin), ONNX, TensorFlow, TensorFlow
// Lite, Paddle. A shape is taken from the source where it is given there: by the name of the input,
// or without a name when the model has one input; `batch` sets the first dimension (batch.h).
// Shapes that are still open after that are an Error that lists all inputs with what is known of
// them.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/fail.h"
#include "berth/modules/silence.h"
#include "berth/runtime/openvino/batch.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/zoo/zoo.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

void check_files(const fs::path& path) {
  if (!fs::exists(path)) fail("{}: no such file", path.string());
  if (path.extension() == ".pt" || path.extension() == ".pth")
    fail("{}: a PyTorch file is a Python program, expected its export to ONNX or OpenVINO IR",
         path.string());
  if (path.extension() != ".xml") return;
  fs::path weights = path;
  weights.replace_extension(".bin");
  const std::string packed = weights.string() + ".gz";
  if (!fs::exists(weights) && fs::exists(packed))
    fail("{}: its weights are compressed, expected {}; use gunzip -k {}", path.string(),
         weights.string(), packed);
}

std::shared_ptr<ov::Model> read_file(ov::Core& core, const std::string& path) {
  try {
    // The TensorFlow reader, asked whether a file is its own, prints what it cannot parse.
    const Silence silence(stderr);
    return core.read_model(path);
  } catch (const std::exception& error) {
    std::string reason = openvino_error_text(error.what());
    if (reason.starts_with("Unable to read the model"))
      reason = "expected IR, ONNX, TensorFlow, TensorFlow Lite or Paddle";
    fail("{}: OpenVINO cannot read it: {}", path, reason);
  }
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

// "--shape query=?,?,64" for each input that is open.
std::string wanted_text(ov::Model& model) {
  std::vector<std::string> options;
  for (const auto& input : model.inputs()) {
    const ov::PartialShape& shape = input.get_partial_shape();
    if (shape.is_static()) continue;
    std::vector<std::string> dimensions;
    if (shape.rank().is_dynamic()) dimensions.emplace_back("...");
    if (shape.rank().is_static())
      for (const ov::Dimension& dimension : shape)
        dimensions.push_back(dimension.is_static() ? std::to_string(dimension.get_length()) : "?");
    options.push_back(fmt::format("--shape {}={}", name_of(input), fmt::join(dimensions, ",")));
  }
  return fmt::format("{}", fmt::join(options, " "));
}

using Shapes = std::map<ov::Output<ov::Node>, ov::PartialShape>;

std::string asked_text(const Shapes& shapes) {
  std::vector<std::string> asked;
  for (const auto& [input, shape] : shapes)
    asked.push_back(fmt::format("{} {}", name_of(input), shape.to_string()));
  return fmt::format("{}", fmt::join(asked, ", "));
}

Shapes asked_shapes(ov::Model& model, const ModelSource& source) {
  Shapes shapes;
  for (const auto& [name, dimensions] : source.shapes) {
    bool found = false;
    for (const auto& input : model.inputs()) {
      if (name.empty() ? model.inputs().size() != 1 : !is_called(input, name)) continue;
      found = true;
      ov::PartialShape shape(std::vector<ov::Dimension>(dimensions.begin(), dimensions.end()));
      if (!input.get_partial_shape().rank().compatible(shape.rank()))
        fail("{}: input {} has {} dimensions, got the shape {}", source.spec, name_of(input),
             input.get_partial_shape().size(), shape.to_string());
      shapes[input] = shape;
    }
    if (!found && name.empty())
      fail("{}: a shape without a name is for models with one input; the inputs are {}",
           source.spec, inputs_text(model));
    if (!found)
      fail("{}: no input is called '{}'; the inputs are {}", source.spec, name, inputs_text(model));
  }
  return shapes;
}

std::shared_ptr<ov::Model> read_model(ov::Core& core, const ModelSource& source) {
  check_files(source.spec);
  const std::shared_ptr<ov::Model> model = read_file(core, source.spec);
  if (source.batch)
    explain_refusal<std::exception>(
        fmt::format("{}: does not take a batch of {}", source.spec, *source.batch),
        [&] { set_batch(*model, *source.batch); });
  const Shapes shapes = asked_shapes(*model, source);
  if (!shapes.empty())
    explain_refusal<std::exception>(
        fmt::format("{}: does not take the input shapes {}", source.spec, asked_text(shapes)),
        [&] { model->reshape(shapes); });
  if (!std::ranges::all_of(model->inputs(),
                           [](const auto& input) { return input.get_partial_shape().is_static(); }))
    fail("{}: the shapes of its inputs are open: {}; expected numbers for all ?, as in {}",
         source.spec, inputs_text(*model), wanted_text(*model));
  return model;
}

}  // namespace

std::unique_ptr<Model> OpenvinoRuntime::open(const ModelSource& source) {
  // What it refuses are shapes that do not fit together.
  return explain_refusal(source.spec + ": OpenVINO refuses it", [&] {
    if (!is_zoo_spec(source.spec))
      return std::make_unique<OpenvinoModel>(fs::path(source.spec).stem().string(),
                                             read_model(core_, source));
    BuiltNetwork network = build_network(source);
    return std::make_unique<OpenvinoModel>(std::move(network.name), std::move(network.model));
  });
}

std::vector<ZooNetwork> OpenvinoRuntime::zoo() const { return zoo_networks(); }

}  // namespace berth
