// Real runs for methods that measure: the meter of `place` (berth/runtime/placement_meter.h).
#pragma once

#include <string>

#include "berth/problem.h"
#include "berth/search/budget.h"
#include "cli/input.h"

namespace berth {

// Empty unless the input is a model, its forward pass is placed, and --devices are devices of this
// machine. The model is opened with its weights on the first measurement, not before.
Meter real_meter(const std::string& input, const InputOptions& options, const Problem& problem);

}  // namespace berth
