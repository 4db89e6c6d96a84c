#include "tests/support/brute_force.h"

#include <algorithm>
#include <cassert>

namespace berth {
namespace {

bool keeps_apart(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of) {
  for (const std::vector<UnitId>& set : problem.apart())
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (device_of[set[i]] == device_of[set[j]]) return false;
  return true;
}

// Calls visit with every assignment of allowed devices to units.
void for_every_assignment(const Problem& problem,
                          const std::function<void(const IdVector<UnitId, DeviceId>&)>& visit) {
  IdVector<UnitId, DeviceId> device_of(problem.unit_count());
  const std::function<void(std::size_t)> choose = [&](std::size_t at) {
    if (at == problem.unit_count()) {
      if (keeps_apart(problem, device_of)) visit(device_of);
      return;
    }
    const UnitId unit = static_cast<UnitId>(at);
    for (const DeviceId device : problem.devices()) {
      if (!problem.unit_allows(unit, device)) continue;
      device_of[unit] = device;
      choose(at + 1);
    }
  };
  choose(0);
}

}  // namespace

BruteForce brute_force(const Problem& problem, const Scorer& scorer, bool with_orders) {
  std::vector<std::vector<NodeId>> orders{{}};
  if (with_orders)
    for (std::vector<NodeId>& order : all_orders(problem.graph(), kMostOrders))
      orders.push_back(std::move(order));
  assert((!with_orders || orders.size() > 1) && "too many orders to enumerate");

  BruteForce result;
  for_every_assignment(problem, [&](const IdVector<UnitId, DeviceId>& device_of) {
    Placement placement = from_units(problem, device_of);
    for (const std::vector<NodeId>& order : orders) {
      placement.order = order;
      ++result.enumerated;
      const std::optional<double> value = scorer(placement);
      if (!value) continue;
      ++result.feasible;
      if (result.best && *result.best <= *value) continue;
      result.best = value;
      result.placement = placement;
    }
  });
  return result;
}

bool orders_matter(const Problem& problem) {
  if (problem.as<Concurrent>()) return true;
  if (problem.as<InPieces>() && problem.objective() == Objective::kLatency) return true;
  if (problem.as<Sequential>() || problem.model().through_host()) return false;
  const auto devices = problem.devices();
  return std::any_of(devices.begin(), devices.end(), [&](DeviceId device) {
    return problem.cluster().device(device).memory.has_value();
  });
}

void for_every_replication(const Problem& problem, const Placement& placement,
                           const std::function<void(const Placement&)>& visit) {
  std::vector<bool> works(problem.device_count(), false);
  for (const DeviceId device : placement.device_of) works[index(device)] = true;
  Placement more = placement;
  const std::function<void(std::size_t)> extend = [&](std::size_t at) {
    if (at == problem.device_count()) return visit(more);
    extend(at + 1);
    for (const DeviceId of : problem.devices()) {
      if (works[at] || !works[index(of)]) continue;
      more.replicas.push_back({static_cast<DeviceId>(at), of});
      extend(at + 1);
      more.replicas.pop_back();
    }
  };
  extend(0);
}

std::vector<std::vector<NodeId>> all_orders(const Graph& graph, std::size_t most) {
  std::vector<std::vector<NodeId>> orders;
  std::vector<NodeId> order;
  std::vector<std::size_t> waiting;
  for (const NodeId node : graph.nodes()) waiting.push_back(graph.predecessors(node).size());
  std::vector<bool> taken(graph.node_count(), false);
  const std::function<void()> extend = [&] {
    if (orders.size() > most) return;
    if (order.size() == graph.node_count()) {
      orders.push_back(order);
      return;
    }
    for (const NodeId node : graph.nodes()) {
      if (taken[index(node)] || waiting[index(node)] != 0) continue;
      taken[index(node)] = true;
      order.push_back(node);
      for (const NodeId next : graph.successors(node)) --waiting[index(next)];
      extend();
      for (const NodeId next : graph.successors(node)) ++waiting[index(next)];
      order.pop_back();
      taken[index(node)] = false;
    }
  };
  extend();
  if (orders.size() > most) orders.clear();
  return orders;
}

}  // namespace berth
