// OpenvinoRuntime::supported: which operators a device can run.

#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/openvino/device_setup.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {

std::vector<bool> OpenvinoRuntime::supported(const Model& model, const RealDevice& device) {
  register_device(core_, device);
  const OpenvinoModel& ours = openvino_model(model);
  try {
    const ov::SupportedOpsMap answer =
        core_.query_model(ours.ov_model(), device.name, compile_properties(device));
    std::vector<bool> result;
    for (const NodeId node : model.graph().nodes())
      result.push_back(answer.contains(model.graph().node(node).name));
    return result;
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("{}: device {} cannot say what it supports: {}", model.name(),
                            device.name, openvino_error_text(error.what())));
  }
}

}  // namespace berth
