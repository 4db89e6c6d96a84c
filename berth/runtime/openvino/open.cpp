// OpenvinoRuntime::open: a file or a network of the zoo to a Model.

#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/openvino/read_model.h"

namespace berth {

std::unique_ptr<Model> OpenvinoRuntime::open(const ModelSource& source) {
  return std::make_unique<OpenvinoModel>(std::filesystem::path(source.spec).stem().string(),
                                         read_model(core_, source));
}

}  // namespace berth
