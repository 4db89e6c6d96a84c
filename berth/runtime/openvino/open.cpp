// OpenvinoRuntime::open and zoo: a file or a network of the zoo to a Model.

#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/openvino/read_model.h"
#include "berth/zoo/zoo.h"

namespace berth {

std::unique_ptr<Model> OpenvinoRuntime::open(const ModelSource& source) {
  if (is_zoo_spec(source.spec)) {
    BuiltNetwork network = build_network(source);
    return std::make_unique<OpenvinoModel>(std::move(network.name), std::move(network.model));
  }
  return std::make_unique<OpenvinoModel>(std::filesystem::path(source.spec).stem().string(),
                                         read_model(core_, source));
}

std::vector<ZooNetwork> OpenvinoRuntime::zoo() const { return zoo_networks(); }

}  // namespace berth
