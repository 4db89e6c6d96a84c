#include "berth/place/cut/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "berth/base/error.h"
#include "berth/search/search_state.h"

namespace berth {
namespace {

constexpr double kTotal = 1e9;
constexpr std::size_t kMostOrdered = 6;  // devices of which all orders are tried: 720

std::vector<std::int32_t> scaled(std::span<const double> weights, double copies) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double scale = total > 0 ? kTotal / copies / total : 0;
  std::vector<std::int32_t> result;
  for (const double weight : weights)
    result.push_back(std::max(1, static_cast<std::int32_t>(std::llround(weight * scale))));
  return result;
}

struct Edge {
  std::uint32_t a, b;  // a < b
  double weight;
};

// One edge per pair of units that share a net.
std::vector<Edge> unit_edges(const AdditiveCost& cost, std::span<const double> net_weights) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < cost.nets().size(); ++i) {
    const auto producer = static_cast<std::uint32_t>(index(cost.nets()[i].producer));
    for (const UnitId unit : cost.consumers(cost.nets()[i])) {
      const auto consumer = static_cast<std::uint32_t>(index(unit));
      edges.push_back({std::min(producer, consumer), std::max(producer, consumer), net_weights[i]});
    }
  }
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::pair(edge.a, edge.b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && edges[kept - 1].a == edges[i].a && edges[kept - 1].b == edges[i].b)
      edges[kept - 1].weight += edges[i].weight;
    else
      edges[kept++] = edges[i];
  }
  edges.resize(kept);
  return edges;
}

void offer_parts(const Context& context, std::span<const DeviceId> devices,
                 std::span<const std::int32_t> part_of_unit) {
  const Problem& problem = context.problem;
  std::vector<DeviceId> order(devices.begin(), devices.end());
  std::ranges::sort(order);
  bool any = false;
  do {
    UnitDevices device_of(problem.unit_count(), DeviceId{0});
    for (const UnitId unit : device_of.ids())
      device_of[unit] = order[static_cast<std::size_t>(part_of_unit[index(unit)])];
    const std::optional<UnitDevices> allowed = make_allowed(problem, std::move(device_of));
    if (!allowed) continue;
    context.incumbent.suggest(from_units(problem, *allowed));
    context.budget.count();
    any = true;
  } while (order.size() <= kMostOrdered && !(any && context.budget.spent()) &&
           std::next_permutation(order.begin(), order.end()));
  if (!any)
    context.incumbent.fail(
        "the partition cannot be changed to keep apart the nodes that must be apart");
}

}  // namespace

PartitionGraph partition_graph(const AdditiveCost& cost, std::span<const double> unit_weights,
                               std::span<const double> net_weights) {
  assert(unit_weights.size() == cost.unit_count() && net_weights.size() == cost.nets().size());
  const std::vector<Edge> edges = unit_edges(cost, net_weights);
  std::vector<double> weights;
  for (const Edge& edge : edges) weights.push_back(edge.weight);
  const std::vector<std::int32_t> integers = scaled(weights, 2);  // each edge is stored twice

  PartitionGraph graph;
  graph.vertex_weight = scaled(unit_weights, 1);
  graph.begin.assign(cost.unit_count() + 1, 0);
  for (const Edge& edge : edges) {
    ++graph.begin[edge.a + 1];
    ++graph.begin[edge.b + 1];
  }
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  std::vector<std::int32_t> next(graph.begin.begin(), graph.begin.end() - 1);
  graph.neighbour.resize(2 * edges.size());
  graph.edge_weight.resize(2 * edges.size());
  const auto put = [&](std::uint32_t from, std::uint32_t to, std::int32_t weight) {
    const auto at = static_cast<std::size_t>(next[from]++);
    graph.neighbour[at] = static_cast<std::int32_t>(to);
    graph.edge_weight[at] = weight;
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    put(edges[i].a, edges[i].b, integers[i]);
    put(edges[i].b, edges[i].a, integers[i]);
  }
  return graph;
}

std::vector<double> mean_unit_times(const AdditiveCost& cost) {
  std::vector<double> mean;
  for (const UnitId unit : cost.problem().units()) {
    double sum = 0, count = 0;
    for (const DeviceId device : cost.problem().devices()) {
      const double time = cost.time(unit, device);
      if (!std::isfinite(time)) continue;
      sum += time;
      count += 1;
    }
    mean.push_back(count > 0 ? sum / count : 0);
  }
  return mean;
}

std::vector<double> speed_shares(const AdditiveCost& cost, std::span<const DeviceId> devices) {
  const std::vector<double> mean = mean_unit_times(cost);
  std::vector<double> share;
  for (const DeviceId device : devices) {
    double typical = 0, own = 0;
    for (const UnitId unit : cost.problem().units()) {
      if (!std::isfinite(cost.time(unit, device))) continue;
      typical += mean[index(unit)];
      own += cost.time(unit, device);
    }
    // A device that runs nothing still is a part; one that takes no time is not infinitely large.
    share.push_back(std::clamp(own > 0 ? typical / own : typical > 0 ? 1e3 : 1e-3, 1e-3, 1e3));
  }
  const double total = std::accumulate(share.begin(), share.end(), 0.0);
  for (double& value : share) value /= total;
  return share;
}

void place_by_partition(const Context& context, ModuleKind module,
                        std::span<const DeviceId> devices, const PartitionGraph& graph,
                        std::span<const double> shares, double imbalance) {
  Partitioner partition = nullptr;
  try {
    partition = load_module(module).partition;
  } catch (const Error& missing) {
    return context.incumbent.fail(missing.what());
  }
  Rng rng = context.rng;
  const std::optional<PartOfVertex> parts = partition(graph, shares, imbalance, rng());
  if (!parts) return context.incumbent.fail("the partitioner finds no partition");
  offer_parts(context, devices, *parts);
}

}  // namespace berth
