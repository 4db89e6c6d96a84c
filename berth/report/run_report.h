// A placement executed for real, next to its alternatives: a table and a verdict for people, one
// JSON object for scripts.
#pragma once

#include <string>

#include "berth/runtime/compare_runs.h"

namespace berth {

// One row per way to run: latency and time per sample, measured and predicted, and output errors.
std::string runs_text(const RunComparison& runs);

// Which way is best for latency and for throughput, a line each; it says so when that is not the
// placement, and when the difference may be chance.
std::string verdict_text(const RunComparison& runs);

std::string write_runs(const RunComparison& runs, const std::string& input,
                       const std::string& placement);

}  // namespace berth
