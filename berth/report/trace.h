// A schedule in the trace format that Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// Two processes: "devices" with a thread per device that shows its runs, "transfers" with a thread
// per channel, or per link where a link has no channel, that shows the moves. An arrow leads from
// the producer's run through the move to the first run that uses the tensor. A thread holds slices
// that do not overlap; where work does overlap (uncontended links, CPU nodes of the call model) the
// device or link gets as many threads as it needs. Times are in microseconds, as the format asks.
//
// Trace Event Format, Google, 2016.
#pragma once

#include "berth/problem.h"
#include "berth/sim/schedule.h"

namespace berth {

std::string write_trace(const Problem& problem, const Schedule& schedule);

}  // namespace berth
