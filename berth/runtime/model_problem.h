// A model that a runtime opened, as a Problem on a cluster, with estimated times (cost/roofline.h).
//
// "Will it fit, and how fast?" before anything is measured: shapes and sizes are the model's own,
// speeds are the cluster's. Latency of concurrent execution; training adds the backward pass
// (graph/backward.h).
#pragma once

#include "berth/cost/devices.h"
#include "berth/problem.h"
#include "berth/runtime/runtime.h"

namespace berth {

Problem model_problem(const Model& model, const Cluster& cluster, bool training);

}  // namespace berth
