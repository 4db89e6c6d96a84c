#include "berth/place/list/sct_program.h"

#include <algorithm>

#include "berth/solvers/milp.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

struct Edge {
  NodeId tail, head;
  double transfer;  // mean, scaled
  VariableId x;
};

// One edge per pair of neighbours, tails ascending, then heads.
std::vector<Edge> edges_with_means(const Problem& problem, double scale) {
  const Graph& graph = problem.graph();
  const IdVector<TensorId, Duration> mean = mean_transfers(problem);
  std::vector<Edge> edges;
  IdVector<NodeId, double> to(graph.node_count(), 0.0);
  for (const NodeId tail : graph.nodes()) {
    for (const TensorId tensor : graph.outputs(tail))
      for (const NodeId head : graph.consumers(tensor)) to[head] += mean[tensor].count();
    for (const NodeId head : graph.successors(tail)) {
      edges.push_back({tail, head, to[head] / scale, VariableId{0}});
      to[head] = 0;
    }
  }
  return edges;
}

}  // namespace

SctFavourites favourite_children(const Problem& problem, const Budget& budget) {
  const Graph& graph = problem.graph();
  const IdVector<NodeId, Duration> time = mean_times(problem);
  // Times of the size of 1 keep the solver's tolerances meaningful.
  const double longest = std::ranges::max(time).count();
  const double scale = longest > 0 ? longest : 1;

  MilpModel model;
  const VariableId makespan = model.add_variable({.lower = 0, .upper = kNoLimit, .cost = 1});
  IdVector<NodeId, VariableId> start(graph.node_count());
  for (const NodeId node : graph.nodes()) {
    start[node] = model.add_variable({.lower = 0, .upper = kNoLimit, .cost = 0});
    model.add_row(time[node].count() / scale, kNoLimit, {{makespan, 1}, {start[node], -1}});
  }
  std::vector<Edge> edges = edges_with_means(problem, scale);
  IdVector<NodeId, std::vector<Term>> children(graph.node_count()), parents(graph.node_count());
  for (Edge& edge : edges) {
    edge.x = model.add_variable({.lower = 0, .upper = 1, .cost = 0});
    model.add_row(time[edge.tail].count() / scale, kNoLimit,
                  {{start[edge.head], 1}, {start[edge.tail], -1}, {edge.x, -edge.transfer}});
    children[edge.tail].push_back({edge.x, 1});
    parents[edge.head].push_back({edge.x, 1});
  }
  for (const NodeId node : graph.nodes())
    for (const std::vector<Term>& side : {children[node], parents[node]})
      if (side.size() > 1) model.add_row(static_cast<double>(side.size()) - 1, kNoLimit, side);

  const MilpSolution solution =
      solve(model, {.seconds = budget.seconds_left(), .stop = [&] { return budget.stopped(); }});
  SctFavourites result{IdVector<NodeId, std::optional<NodeId>>(graph.node_count()), {}};
  if (solution.status != MilpStatus::kOptimal) {
    result.failure = to_string(solution.status);
    return result;
  }
  constexpr double kStrictly = 0.5 - 1e-6;  // the rows hold up to the solver's tolerance of 1e-7
  for (const Edge& edge : edges)
    if (solution.values[edge.x] < kStrictly) result.child[edge.tail] = edge.head;
  return result;
}

}  // namespace berth
