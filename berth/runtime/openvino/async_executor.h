// Runs one compiled model as OpenVINO schedules it: a device with several streams, or HETERO.
//
// Requests are started asynchronously and start the next one as they end, so that `in_flight` of
// them are always under way. What happens inside a request is OpenVINO's.
#pragma once

#include "berth/runtime/openvino/model.h"

namespace berth {

std::unique_ptr<Executor> async_executor(const OpenvinoModel& model, ov::CompiledModel compiled,
                                         std::vector<RunningPiece> pieces);

}  // namespace berth
