#include "berth/base/error.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {

std::vector<bool> OpenvinoRuntime::supported(const Model&, const RealDevice&) {
  throw Error("asking a device what it supports is not in this build yet");
}

}  // namespace berth
