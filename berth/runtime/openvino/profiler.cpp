#include "berth/base/error.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {

OpTimes OpenvinoRuntime::measure_ops(const Model&, std::span<const RealDevice>,
                                     const std::filesystem::path&) {
  throw Error("measuring operators is not in this build yet");
}

}  // namespace berth
