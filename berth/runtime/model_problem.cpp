#include "berth/runtime/model_problem.h"

#include <utility>

#include "berth/cost/roofline.h"
#include "berth/graph/backward.h"
#include "berth/io/limits.h"

namespace berth {

Problem model_problem(const Model& model, const Cluster& cluster, bool training) {
  Graph graph = training ? with_backward_pass(model.graph()) : model.graph();
  check_counts(model.name(), graph.node_count(), cluster.device_count());
  check_total_bytes(model.name(), graph);
  Costs costs{roofline_times(graph, cluster), {}};
  return Problem(model.name(), std::move(graph), cluster, std::move(costs));
}

}  // namespace berth
