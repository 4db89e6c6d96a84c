// Units that act as one on every path through them: what a bound may keep together.
//
// On a CPU the nodes of a co-location unit run apart. A unit is kept whole if each of its nodes
// with outside inputs reaches each one with outside uses, because then no call can lie between its
// parts; its CPU time on a path is the least over such pairs of the longest path inside. Other
// units are taken apart, which relaxes the problem. With several pieces per accelerator all are.
#pragma once

#include "berth/place/load/load_model.h"

namespace berth {

// The problem with the other units taken apart. It is of the call model, objective latency.
Problem with_whole_units(const Problem& problem);

// Least time of a path through each unit when it is on a CPU, in microseconds; infinite where no
// CPU may run it.
std::vector<double> cpu_passages(const Problem& problem, const LoadModel& model);

}  // namespace berth
