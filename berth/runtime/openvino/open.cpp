// OpenvinoRuntime::open and zoo: a file or a network of the zoo to a Model.

#include <filesystem>

#include <fmt/format.h>
#include <openvino/core/except.hpp>

#include "berth/base/error.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/openvino/read_model.h"
#include "berth/zoo/zoo.h"

namespace berth {

namespace {

std::unique_ptr<Model> opened(ov::Core& core, const ModelSource& source) {
  if (is_zoo_spec(source.spec)) {
    BuiltNetwork network = build_network(source);
    return std::make_unique<OpenvinoModel>(std::move(network.name), std::move(network.model));
  }
  return std::make_unique<OpenvinoModel>(std::filesystem::path(source.spec).stem().string(),
                                         read_model(core, source));
}

}  // namespace

std::unique_ptr<Model> OpenvinoRuntime::open(const ModelSource& source) {
  try {
    return opened(core_, source);
  } catch (const ov::Exception& error) {  // shapes that do not fit together
    throw Error(
        fmt::format("{}: OpenVINO refuses it: {}", source.spec, openvino_error_text(error.what())));
  }
}

std::vector<ZooNetwork> OpenvinoRuntime::zoo() const { return zoo_networks(); }

}  // namespace berth
