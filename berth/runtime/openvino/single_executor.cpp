#include "berth/base/error.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {

std::unique_ptr<Executor> OpenvinoRuntime::prepare_single(const Model&, const RealDevice&, int) {
  throw Error("running on one device is not in this build yet");
}

}  // namespace berth
