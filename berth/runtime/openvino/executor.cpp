#include "berth/base/error.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {

std::unique_ptr<Executor> OpenvinoRuntime::prepare(const Model&, std::span<const RealDevice>,
                                                   const Placement&, ExecutorKind) {
  throw Error("running a placement is not in this build yet");
}

}  // namespace berth
