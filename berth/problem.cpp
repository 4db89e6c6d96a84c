#include "berth/problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/graph/union_find.h"

namespace berth {
namespace {

void check_sizes(const Graph& graph, const Cluster& cluster, const Costs& costs) {
  if (graph.node_count() == 0) throw Error("the graph has no nodes");
  if (cluster.device_count() == 0) throw Error("the problem has no devices");
  if (costs.times.node_count() != graph.node_count() ||
      costs.times.device_count() != cluster.device_count())
    throw Error(fmt::format("times are given for {} nodes x {} devices, expected {} x {}",
                            costs.times.node_count(), costs.times.device_count(),
                            graph.node_count(), cluster.device_count()));
  std::size_t expected = 0;
  if (costs.transfers.source() == TransferSource::kPerTensor) expected = graph.tensor_count();
  if (costs.transfers.source() == TransferSource::kPerTensorAndPair)
    expected = graph.tensor_count() * cluster.device_count() * cluster.device_count();
  if (costs.transfers.micros().size() != expected)
    throw Error(fmt::format("{} transfer times are given, expected {}",
                            costs.transfers.micros().size(), expected));
}

void check_times(const Graph& graph, const Costs& costs) {
  for (const NodeId node : graph.nodes())
    for (const double micros : costs.times.row(node))
      if (!(micros >= 0))
        throw Error(
            fmt::format("node '{}': a time is {}, expected >= 0", graph.node(node).name, micros));
  for (const double micros : costs.transfers.micros())
    if (!(micros >= 0) || !std::isfinite(micros))
      throw Error(fmt::format("a transfer time is {}, expected a finite number >= 0", micros));
}

void check_inference(const char* what, const char* instead, const Graph& graph) {
  for (const NodeId node : graph.nodes())
    if (graph.node(node).pass == Pass::kBackward)
      throw Error(fmt::format("{} is defined for inference, but '{}' is a backward node: use {}",
                              what, graph.node(node).name, instead));
}

void check_fields(const ExecutionModel& model) {
  const auto check = [](bool holds, const char* rule) {
    if (!holds) throw Error(rule);
  };
  if (const Sequential* sequential = model.as<Sequential>()) {
    const double overhead = sequential->subgraph_overhead.count();
    check(overhead >= 0 && std::isfinite(overhead),
          "the subgraph overhead must be a finite time >= 0");
  }
  if (const CallLatency* call = model.as<CallLatency>())
    check(call->pieces >= 1, "pieces must be at least 1");
  if (const MaxLoad* load = model.as<MaxLoad>())
    check(load->microbatches >= 1, "microbatches must be at least 1");
  if (const InPieces* pieces = model.as<InPieces>())
    check(pieces->contention >= 0 && pieces->contention <= 1,
          "contention must be a number between 0 and 1");
}

void check_model(const ExecutionModel& model, const Graph& graph, const Cluster& cluster,
                 const Costs& costs) {
  check_fields(model);
  if (model.as<InPieces>()) check_inference("execution in pieces", "--execution pipeline", graph);
  if (model.through_host() && costs.transfers.source() != TransferSource::kPerTensor &&
      !cluster.host())
    throw Error(
        "call execution moves data through host memory: it needs a CPU device or one "
        "transfer time per tensor");
  if (model.as<CallLatency>()) check_inference("call latency", "--objective throughput", graph);
}

}  // namespace

Problem::Problem(std::string name, Graph graph, Cluster cluster, Costs costs,
                 Constraints constraints, ExecutionModel model)
    : model_(model) {
  check_sizes(graph, cluster, costs);
  check_times(graph, costs);
  check_model(model, graph, cluster, costs);

  auto data = std::make_shared<Data>();
  Data& d = *data;
  d.name = std::move(name);
  d.graph = std::move(graph);
  d.cluster = std::move(cluster);
  d.has_servers = d.cluster.servers().count() > 1;
  d.costs = std::move(costs);
  d.constraints = std::move(constraints);
  const std::size_t nodes = d.graph.node_count();
  const std::size_t devices = d.cluster.device_count();
  const auto node_name = [&](NodeId node) -> const std::string& { return d.graph.node(node).name; };
  const auto device_name = [&](DeviceId id) -> const std::string& {
    return d.cluster.device(id).name;
  };

  d.sample_micros.resize(nodes * devices);
  for (const NodeId node : d.graph.nodes()) {
    if (d.graph.node(node).pass == Pass::kBackward) d.is_training = true;
    const double frequency = d.graph.node(node).frequency;
    const std::span<const double> row = d.costs.times.row(node);
    for (std::size_t i = 0; i < devices; ++i)
      d.sample_micros[index(node) * devices + i] =
          std::isfinite(row[i]) ? row[i] * frequency : kForever.count();
  }

  const auto check_pair = [&](const char* what, const Constraints::NodeDevice& pair) {
    if (index(pair.node) >= nodes || index(pair.device) >= devices)
      throw Error(fmt::format("constraint {}: node {} or device {} does not exist", what,
                              index(pair.node), index(pair.device)));
  };
  for (const auto& pair : d.constraints.pin) check_pair("pin", pair);
  for (const auto& pair : d.constraints.forbid) check_pair("forbid", pair);

  UnionFind sets(nodes);
  const auto number = [](NodeId node) { return static_cast<std::uint32_t>(node); };
  std::unordered_map<std::int32_t, NodeId> first_of_group;
  for (const NodeId node : d.graph.nodes()) {
    const std::int32_t group = d.graph.node(node).group;
    if (group == kNoGroup) continue;
    const auto [at, fresh] = first_of_group.try_emplace(group, node);
    if (!fresh) sets.join(number(at->second), number(node));
  }
  for (const auto& together : d.constraints.together)
    for (const NodeId node : together) {
      if (index(node) >= nodes) throw Error("constraint together: a node does not exist");
      sets.join(number(together.front()), number(node));
    }

  // Units are numbered by their first member.
  d.unit_of.assign(nodes, UnitId{0});
  std::size_t units = 0;
  for (const NodeId node : d.graph.nodes()) {
    const NodeId first = static_cast<NodeId>(sets.find(number(node)));
    d.unit_of[node] = first == node ? static_cast<UnitId>(units++) : d.unit_of[first];
  }
  d.unit_begin.assign(units + 1, 0);
  for (const UnitId unit : d.unit_of) ++d.unit_begin[index(unit) + 1];
  std::partial_sum(d.unit_begin.begin(), d.unit_begin.end(), d.unit_begin.begin());
  d.unit_members.resize(nodes);
  std::vector<std::uint32_t> next(d.unit_begin.begin(), d.unit_begin.end() - 1);
  for (const NodeId node : d.graph.nodes()) d.unit_members[next[index(d.unit_of[node])]++] = node;

  // What each unit may use: support first, then forbids and pins, with contradictions named.
  d.unit_allowed.assign(units * devices, 1);
  for (const NodeId node : d.graph.nodes())
    for (std::size_t i = 0; i < devices; ++i)
      if (!std::isfinite(d.sample_micros[index(node) * devices + i]))
        d.unit_allowed[index(d.unit_of[node]) * devices + i] = 0;
  const auto allowed = [&](UnitId unit, DeviceId id) -> std::uint8_t& {
    return d.unit_allowed[index(unit) * devices + index(id)];
  };
  const auto any_allowed = [&](UnitId unit) {
    const auto row = d.unit_allowed.begin() + static_cast<std::ptrdiff_t>(index(unit) * devices);
    return std::any_of(row, row + static_cast<std::ptrdiff_t>(devices),
                       [](std::uint8_t ok) { return ok != 0; });
  };
  for (const auto& [node, device] : d.constraints.forbid) {
    const UnitId unit = d.unit_of[node];
    const bool before = any_allowed(unit);
    allowed(unit, device) = 0;
    if (before && !any_allowed(unit))
      throw Error(
          fmt::format("constraint forbid: with '{}' forbidden on {}, no device is left that "
                      "runs it and all nodes that must share its device",
                      node_name(node), device_name(device)));
  }
  std::unordered_map<std::uint32_t, Constraints::NodeDevice> pinned;
  for (const auto& pair : d.constraints.pin) {
    const UnitId unit = d.unit_of[pair.node];
    const auto [at, fresh] = pinned.try_emplace(static_cast<std::uint32_t>(unit), pair);
    if (!fresh && at->second.device != pair.device)
      throw Error(
          fmt::format("constraint pin: '{}' is pinned to {} and '{}' to {}, but they must "
                      "share a device",
                      node_name(at->second.node), device_name(at->second.device),
                      node_name(pair.node), device_name(pair.device)));
    if (allowed(unit, pair.device) == 0)
      throw Error(
          fmt::format("constraint pin: '{}' is pinned to {}, which it, or a node that must "
                      "share its device, may not use",
                      node_name(pair.node), device_name(pair.device)));
  }
  for (const auto& [unit, pair] : pinned)
    for (const DeviceId device : d.cluster.devices())
      if (device != pair.device) allowed(static_cast<UnitId>(unit), device) = 0;

  for (const auto& apart : d.constraints.apart) {
    std::vector<UnitId> set;
    for (const NodeId node : apart) {
      if (index(node) >= nodes) throw Error("constraint apart: a node does not exist");
      const UnitId unit = d.unit_of[node];
      const auto same = std::find(set.begin(), set.end(), unit);
      if (same != set.end())
        throw Error(
            fmt::format("constraint apart: '{}' must be apart from '{}', with which it must "
                        "share a device",
                        node_name(node), node_name(apart[same - set.begin()])));
      set.push_back(unit);
    }
    if (set.size() > devices)
      throw Error(
          fmt::format("constraint apart: {} nodes (the first is '{}') need different devices, "
                      "but there are {}",
                      set.size(), node_name(apart.front()), devices));
    if (set.size() > 1) d.apart.push_back(std::move(set));
  }
  for (std::size_t unit = 0; unit < units && !d.unplaceable; ++unit)
    if (!any_allowed(static_cast<UnitId>(unit))) d.unplaceable = d.unit_members[d.unit_begin[unit]];

  data_ = std::move(data);
}

Duration Problem::transfer(TensorId tensor, DeviceId from, DeviceId to) const {
  if (from == to) return Duration{0};
  const Data& d = *data_;
  const double frequency = d.graph.node(d.graph.producer(tensor)).frequency;
  if (d.costs.transfers.source() == TransferSource::kLinks)
    return frequency * transfer_time(d.graph.tensor(tensor).size, d.cluster.link(from, to));
  return frequency * d.costs.transfers.given(tensor, from, to);
}

Duration Problem::read_from_host(TensorId tensor, DeviceId device) const {
  if (cluster().device(device).is_host()) return Duration{0};
  if (costs().transfers.source() == TransferSource::kPerTensor)
    return graph().node(graph().producer(tensor)).frequency *
           Duration{costs().transfers.micros()[index(tensor)]};
  return transfer(tensor, cluster().host_of(device).value(), device);
}

Duration Problem::write_to_host(TensorId tensor, DeviceId device) const {
  if (cluster().device(device).is_host()) return Duration{0};
  if (costs().transfers.source() == TransferSource::kPerTensor)
    return read_from_host(tensor, device);
  return transfer(tensor, device, cluster().host_of(device).value());
}

Duration Problem::over_network(TensorId tensor) const {
  const Data& d = *data_;
  return d.graph.node(d.graph.producer(tensor)).frequency *
         transfer_time(d.graph.tensor(tensor).size, d.cluster.network());
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
