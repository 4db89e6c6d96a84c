// The roofline's constants chosen so that a whole graph takes a known time.
//
// A paper often says how long a network takes on each device alone, and no more. The roofline
// (roofline.h) says how a device's time is made, with two constants per device:
//   T(d) = launches * launch(d) + work(d) / speedup(d)
//   launches   operators that run;  work(d)  their arithmetic or traffic at the stated peaks
// One total cannot tell both, so one is fitted and the other stays as stated:
//   CPUs          the speed: what starting an operator takes is a call, while the share of the peak
//                 that is reached is a guess
//   accelerators  the launch: at batch 1 a device of many TFLOP/s waits for its operators to be
//                 started, and the totals of small networks say little else
// An accelerator that is faster than its work at the stated peaks has the speed fitted too. When
// the stated launches alone take longer than the total, both are scaled alike.
//
// Scaling all times of a device alike would keep the ratio of two devices the same for every
// operator and so decide beforehand that nothing is gained by using both; which constant is fitted
// decides which operators a CPU wins. That is an assumption, not a measurement: figures on such a
// cluster say what a method finds there, not what a machine would gain.
#pragma once

#include "berth/cost/devices.h"
#include "berth/graph/graph.h"

namespace berth {

// One total per device, of one sample run operator by operator. The devices come back with other
// launch times, peaks and bandwidths. Throws Error when a total is not a positive number, and where
// roofline_times does. O((V + E) D).
Cluster fit_roofline(const Graph& graph, const Cluster& cluster, std::span<const Duration> totals);

}  // namespace berth
