#include "berth/problem.h"

#include <cmath>
#include <unordered_map>

#include "berth/base/fail.h"
#include "berth/graph/union_find.h"

namespace berth {
namespace {

void check_sizes(const Graph& graph, const Cluster& cluster, const Costs& costs) {
  if (graph.node_count() == 0) throw Error("the graph has no nodes");
  if (cluster.device_count() == 0) throw Error("the problem has no devices");
  if (costs.times.node_count() != graph.node_count() ||
      costs.times.device_count() != cluster.device_count())
    fail("times are given for {} nodes x {} devices, expected {} x {}", costs.times.node_count(),
         costs.times.device_count(), graph.node_count(), cluster.device_count());
  std::size_t expected = 0;
  if (costs.transfers.source() == TransferSource::kPerTensor) expected = graph.tensor_count();
  if (costs.transfers.source() == TransferSource::kPerTensorAndPair)
    expected = graph.tensor_count() * cluster.device_count() * cluster.device_count();
  if (costs.transfers.micros().size() != expected)
    fail("{} transfer times are given, expected {}", costs.transfers.micros().size(), expected);
}

void check_times(const Graph& graph, const Costs& costs) {
  for (const NodeId node : graph.nodes())
    for (const double micros : costs.times.row(node))
      if (!(micros >= 0))
        fail("node '{}': a time is {}, expected >= 0", graph.node(node).name, micros);
  for (const double micros : costs.transfers.micros())
    if (!(micros >= 0) || !std::isfinite(micros))
      fail("a transfer time is {}, expected a finite number >= 0", micros);
}

void check_training(const ExecutionModel& model, const Graph& graph) {
  const char* const instead = model.properties().instead_in_training;
  if (instead == nullptr) return;
  for (const NodeId node : graph.nodes())
    if (graph.node(node).pass == Pass::kBackward)
      fail("{} is defined for inference, but '{}' is a backward node: use {}", described(model),
           graph.node(node).name, instead);
}

void check_model(const ExecutionModel& model, const Graph& graph, const Cluster& cluster,
                 const Costs& costs) {
  std::visit([](const auto& own) { own.check(); }, model.execution);
  if (model.through_host() && costs.transfers.source() != TransferSource::kPerTensor &&
      !cluster.host())
    throw Error(
        "call execution moves data through host memory: it needs a CPU device or one "
        "transfer time per tensor");
  check_training(model, graph);
}

void check_constraints(const Constraints& constraints, std::size_t nodes, std::size_t devices) {
  const auto check_rules = [&](const char* what, const auto& rules) {
    for (const auto& [node, device] : rules)
      if (index(node) >= nodes || index(device) >= devices)
        fail("constraint {}: node {} or device {} does not exist", what, index(node),
             index(device));
  };
  const auto check_sets = [&](const char* what, const auto& sets) {
    for (const std::vector<NodeId>& set : sets)
      if (std::ranges::any_of(set, [&](NodeId node) { return index(node) >= nodes; }))
        fail("constraint {}: a node does not exist", what);
  };
  check_rules("pin", constraints.pin);
  check_rules("forbid", constraints.forbid);
  check_sets("together", constraints.together);
  check_sets("apart", constraints.apart);
}

}  // namespace

Problem::Problem(std::string name, Graph graph, Cluster cluster, Costs costs,
                 Constraints constraints, ExecutionModel model)
    : model_(model) {
  check_sizes(graph, cluster, costs);
  check_times(graph, costs);
  check_model(model, graph, cluster, costs);
  check_constraints(constraints, graph.node_count(), cluster.device_count());

  auto data = std::make_shared<Data>();
  data->name = std::move(name);
  data->graph = std::move(graph);
  data->cluster = std::move(cluster);
  data->has_servers = data->cluster.servers().count() > 1;
  data->costs = std::move(costs);
  data->constraints = std::move(constraints);
  data->add_times();
  data->add_units();
  data->apply_forbids();
  data->apply_pins();
  data->add_apart_sets();
  for (const UnitId unit : IdRange<UnitId>(data->members.size()))
    if (!data->unplaceable && !data->is_placeable(unit))
      data->unplaceable = data->members[unit].front();
  data_ = std::move(data);
}

void Problem::Data::add_times() {
  sample_micros.reserve(graph.node_count() * cluster.device_count());
  for (const NodeId node : graph.nodes()) {
    if (graph.node(node).pass == Pass::kBackward) is_training = true;
    for (const double micros : costs.times.row(node))
      sample_micros.push_back(std::isfinite(micros) ? micros * graph.node(node).frequency
                                                    : kForever.count());
  }
}

// Units are numbered by their first member. They may use the devices that run all members.
void Problem::Data::add_units() {
  UnionFind sets(graph.node_count());
  const auto number = [](NodeId node) { return static_cast<std::uint32_t>(node); };
  std::unordered_map<std::int32_t, NodeId> first_of_group;
  for (const NodeId node : graph.nodes()) {
    const std::int32_t group = graph.node(node).group;
    if (group == kNoGroup) continue;
    sets.join(number(first_of_group.try_emplace(group, node).first->second), number(node));
  }
  for (const auto& together : constraints.together)
    for (const NodeId node : together) sets.join(number(together.front()), number(node));

  unit_of.assign(graph.node_count(), UnitId{0});
  std::size_t count = 0;
  for (const NodeId node : graph.nodes()) {
    const NodeId first = static_cast<NodeId>(sets.find(number(node)));
    unit_of[node] = first == node ? static_cast<UnitId>(count++) : unit_of[first];
  }
  members = {count, graph.nodes(), [&](NodeId node) { return unit_of[node]; }};
  unit_allowed.assign(count * cluster.device_count(), 1);
  for (const NodeId node : graph.nodes())
    for (const DeviceId device : cluster.devices())
      if (!std::isfinite(sample_micros[index(node) * cluster.device_count() + index(device)]))
        exclude(unit_of[node], device);
}

void Problem::Data::exclude(UnitId unit, DeviceId device) {
  unit_allowed[index(unit) * cluster.device_count() + index(device)] = 0;
}

bool Problem::Data::is_placeable(UnitId unit) const {
  return std::ranges::any_of(cluster.devices(),
                             [&](DeviceId device) { return allows(unit, device); });
}

void Problem::Data::apply_forbids() {
  for (const auto& [node, device] : constraints.forbid) {
    const bool before = is_placeable(unit_of[node]);
    exclude(unit_of[node], device);
    if (before && !is_placeable(unit_of[node]))
      fail(
          "constraint forbid: with '{}' forbidden on {}, no device is left that "
          "runs it and all nodes that must share its device",
          graph.node(node).name, cluster.device(device).name);
  }
}

void Problem::Data::apply_pins() {
  std::unordered_map<std::uint32_t, Constraints::NodeDevice> pinned;  // the first of each unit
  for (const auto& pin : constraints.pin) {
    const UnitId unit = unit_of[pin.node];
    const std::string &node = graph.node(pin.node).name, &device = cluster.device(pin.device).name;
    const auto& first = pinned.try_emplace(static_cast<std::uint32_t>(unit), pin).first->second;
    if (first.device != pin.device)
      fail("constraint pin: '{}' is pinned to {} and '{}' to {}, but they must share a device",
           graph.node(first.node).name, cluster.device(first.device).name, node, device);
    if (!allows(unit, pin.device))
      fail(
          "constraint pin: '{}' is pinned to {}, which it, or a node that must "
          "share its device, may not use",
          node, device);
  }
  for (const auto& [unit, pin] : pinned)
    for (const DeviceId device : cluster.devices())
      if (device != pin.device) exclude(static_cast<UnitId>(unit), device);
}

void Problem::Data::add_apart_sets() {
  const std::size_t devices = cluster.device_count();
  for (const std::vector<NodeId>& nodes : constraints.apart) {
    std::vector<UnitId> set;
    for (const NodeId node : nodes) {
      const auto same = std::ranges::find(set, unit_of[node]);
      if (same != set.end())
        fail("constraint apart: '{}' must be apart from '{}', with which it must share a device",
             graph.node(node).name, graph.node(nodes[same - set.begin()]).name);
      set.push_back(unit_of[node]);
    }
    if (set.size() > devices)
      fail(
          "constraint apart: {} nodes (the first is '{}') need different devices, but there are {}",
          set.size(), graph.node(nodes.front()).name, devices);
    if (set.size() > 1) apart.push_back(std::move(set));
  }
}

Duration Problem::transfer(TensorId tensor, DeviceId from, DeviceId to) const {
  if (from == to) return Duration{0};
  if (costs().transfers.source() == TransferSource::kLinks)
    return frequency(tensor) * transfer_time(graph().tensor(tensor).size, cluster().link(from, to));
  return frequency(tensor) * costs().transfers.given(tensor, from, to);
}

Duration Problem::read_from_host(TensorId tensor, DeviceId device) const {
  if (cluster().device(device).is_host()) return Duration{0};
  if (costs().transfers.source() == TransferSource::kPerTensor)
    return frequency(tensor) * Duration{costs().transfers.micros()[index(tensor)]};
  return transfer(tensor, cluster().host_of(device).value(), device);
}

Duration Problem::write_to_host(TensorId tensor, DeviceId device) const {
  if (cluster().device(device).is_host()) return Duration{0};
  if (costs().transfers.source() == TransferSource::kPerTensor)
    return read_from_host(tensor, device);
  return transfer(tensor, device, cluster().host_of(device).value());
}

Duration Problem::over_network(TensorId tensor) const {
  return frequency(tensor) * transfer_time(graph().tensor(tensor).size, cluster().network());
}

Problem Problem::with_model(ExecutionModel model) const {
  check_model(model, graph(), cluster(), costs());
  return Problem(data_, model);
}

Problem Problem::with_constraints(Constraints constraints) const {
  return Problem(name(), graph(), cluster(), costs(), std::move(constraints), model_);
}

Problem Problem::with_cluster(Cluster cluster) const {
  return Problem(name(), graph(), std::move(cluster), costs(), constraints(), model_);
}

}  // namespace berth
