#include "berth/transform/contract.h"

#include "berth/graph/order.h"
#include "berth/graph/union_find.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

using Label = std::uint32_t;  // of a contracted node, before those have ids
constexpr Label kNone = ~Label{0};

struct Labels {
  IdVector<NodeId, Label> of;
  std::size_t count = 0;  // all labels are smaller
};

// ---- which nodes become one ----

// Whether each label lies on a cycle of the quotient graph.
std::vector<bool> on_a_cycle(const Graph& graph, const Labels& labels) {
  std::vector<std::vector<std::uint32_t>> successors(labels.count);
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node))
      if (labels.of[node] != labels.of[next])
        successors[labels.of[node]].push_back(labels.of[next]);
  const std::vector<std::uint32_t> component = strongly_connected_components(successors);
  std::vector<std::uint32_t> size(labels.count, 0);
  for (const std::uint32_t c : component) ++size[c];
  std::vector<bool> result(labels.count);
  for (std::size_t label = 0; label < labels.count; ++label)
    result[label] = size[component[label]] > 1;
  return result;
}

// The backward members of each unit on a cycle get a label of their own.
Labels with_passes_split(const Graph& graph, Labels labels) {
  const std::vector<bool> cyclic = on_a_cycle(graph, labels);
  std::vector<Label> backward_of(labels.count, kNone);
  for (const NodeId node : graph.nodes()) {
    const Label label = labels.of[node];
    if (!cyclic[label] || graph.node(node).pass == Pass::kForward) continue;
    if (backward_of[label] == kNone) backward_of[label] = static_cast<Label>(labels.count++);
    labels.of[node] = backward_of[label];
  }
  return labels;
}

// Every member of a part on a cycle gets a label of its own.
Labels with_parts_dissolved(const Graph& graph, Labels labels) {
  const std::vector<bool> cyclic = on_a_cycle(graph, labels);
  for (const NodeId node : graph.nodes())
    if (cyclic[labels.of[node]]) labels.of[node] = static_cast<Label>(labels.count++);
  return labels;
}

Labels unit_labels(const Problem& fine) {
  const Graph& graph = fine.graph();
  Labels labels{IdVector<NodeId, Label>(graph.node_count()), fine.unit_count()};
  for (const NodeId node : graph.nodes()) labels.of[node] = static_cast<Label>(fine.unit_of(node));
  if (labels.count == graph.node_count()) return labels;
  return with_parts_dissolved(graph, with_passes_split(graph, std::move(labels)));
}

// Units that co-placement has tied into one class: where the class may still go.
class Classes {
 public:
  explicit Classes(const Problem& fine)
      : fine_(fine),
        devices_(fine.device_count()),
        sets_(fine.unit_count()),
        allowed_(fine.unit_count() * devices_),
        weights_(fine.unit_count()),
        apart_(fine.unit_count(), false) {
    for (const UnitId unit : fine.units()) {
      for (const DeviceId device : fine.devices())
        allowed_[index(unit) * devices_ + index(device)] = fine.unit_allows(unit, device);
      weights_[index(unit)] = unit_graph(fine).weights(unit);
      apart_[index(unit)] = !unit_graph(fine).apart_sets(unit).empty();
    }
  }

  // Ties the classes of two nodes if one device could still hold them.
  bool tie(NodeId first, NodeId second) {
    const std::uint32_t a = sets_.find(static_cast<std::uint32_t>(fine_.unit_of(first)));
    const std::uint32_t b = sets_.find(static_cast<std::uint32_t>(fine_.unit_of(second)));
    if (a == b) return true;
    if (apart_[a] || apart_[b] || !one_device_holds(a, b)) return false;
    const std::uint32_t kept = sets_.join(a, b);
    const std::uint32_t gone = kept == a ? b : a;
    for (std::size_t d = 0; d < devices_; ++d)
      allowed_[kept * devices_ + d] &= allowed_[gone * devices_ + d];
    weights_[kept] += weights_[gone];
    return true;
  }

 private:
  bool one_device_holds(std::uint32_t a, std::uint32_t b) const {
    for (const DeviceId device : fine_.devices()) {
      const std::size_t d = index(device);
      const std::optional<Bytes>& limit = fine_.cluster().device(device).memory;
      if (allowed_[a * devices_ + d] != 0 && allowed_[b * devices_ + d] != 0 &&
          (!limit || weights_[a] + weights_[b] <= *limit))
        return true;
    }
    return false;
  }

  const Problem& fine_;
  std::size_t devices_;
  UnionFind sets_;
  std::vector<std::uint8_t> allowed_;
  std::vector<Bytes> weights_;
  std::vector<bool> apart_;
};

// ---- the coarse problem ----

// Contracted nodes numbered by their first member, members in topological order.
Coarsening number_contracted(const Problem& fine, const Labels& labels) {
  const Graph& graph = fine.graph();
  Coarsening result{fine, IdVector<NodeId, NodeId>(graph.node_count()), {}};
  std::vector<Label> number(labels.count, kNone);
  Label count = 0;
  for (const NodeId node : graph.nodes()) {
    Label& at = number[labels.of[node]];
    if (at == kNone) at = count++;
    result.coarse_of[node] = NodeId{at};
  }
  result.members_of = {count, graph.topological_order(),
                       [&](NodeId node) { return result.coarse_of[node]; }};
  return result;
}

// Link times are multiplied by how often the producer runs. A contracted node whose members all run
// equally often keeps that frequency; one with mixed frequencies has none, and then transfer times
// must be written out per tensor and pair.
struct Frequencies {
  IdVector<NodeId, double> of;  // by coarse node
  bool mixed = false;           // some contracted node has members that run unequally often
};

Frequencies contracted_frequencies(const Problem& fine, const Coarsening& map, std::size_t count) {
  Frequencies result{IdVector<NodeId, double>(count, 1.0), false};
  if (fine.costs().transfers.source() != TransferSource::kLinks) return result;
  for (const NodeId coarse : IdRange<NodeId>(count)) {
    const std::span<const NodeId> members = map.members_of[coarse];
    const double frequency = fine.graph().node(members.front()).frequency;
    result.of[coarse] = frequency;
    result.mixed |= frequency == 0 || std::ranges::any_of(members, [&](NodeId member) {
                      return fine.graph().node(member).frequency != frequency;
                    });
  }
  if (result.mixed) result.of.assign(count, 1.0);
  return result;
}

Node merged_node(const Graph& graph, std::span<const NodeId> members, double frequency) {
  Node node = graph.node(members.front());
  node.frequency = frequency;
  node.group = kNoGroup;
  if (members.size() == 1) {
    node.flops *= graph.node(members.front()).frequency / frequency;
    return node;
  }
  node.alias.clear();
  node.flops = 0;
  node.weights = Bytes{0};
  for (const NodeId member : members) {
    const Node& part = graph.node(member);
    node.flops += part.flops * part.frequency / frequency;
    node.weights += part.weights;
    node.workspace = std::max(node.workspace, part.workspace);
    if (part.pass == Pass::kForward) node.pass = Pass::kForward;
    if (part.op_type != node.op_type) node.op_type.clear();
  }
  return node;
}

// The group of each contracted node: those that share a unit are tied, directly or through others.
IdVector<NodeId, std::int32_t> groups(const Problem& fine, const Coarsening& map,
                                      std::size_t count) {
  UnionFind sets(count);
  for (const UnitId unit : fine.units()) {
    const auto first = static_cast<std::uint32_t>(map.coarse_of[fine.members(unit).front()]);
    for (const NodeId member : fine.members(unit))
      sets.join(first, static_cast<std::uint32_t>(map.coarse_of[member]));
  }
  std::vector<std::uint32_t> size(count, 0);
  for (std::uint32_t node = 0; node < count; ++node) ++size[sets.find(node)];
  IdVector<NodeId, std::int32_t> result(count, kNoGroup);
  for (std::uint32_t node = 0; node < count; ++node)
    if (size[sets.find(node)] > 1)
      result[NodeId{node}] = static_cast<std::int32_t>(sets.find(node));
  return result;
}

NodeTimes merged_times(const Problem& fine, const Coarsening& map, const Frequencies& frequencies) {
  NodeTimes times(frequencies.of.size(), fine.device_count());
  for (const NodeId coarse : frequencies.of.ids())
    for (const DeviceId device : fine.devices()) {
      Duration sum{0};
      for (const NodeId member : map.members_of[coarse]) sum += fine.time(member, device);
      times.set(coarse, device, sum / frequencies.of[coarse]);
    }
  return times;
}

// Times of the kept tensors, effective, as the coarse nodes run once per sample; from the links
// when frequencies allow.
TransferTimes kept_transfers(const Problem& fine, const std::vector<TensorId>& kept, bool mixed) {
  const TransferSource source = fine.costs().transfers.source();
  if (source == TransferSource::kLinks && !mixed) return {};
  if (source == TransferSource::kPerTensor) {
    IdVector<TensorId, Duration> times;
    times.reserve(kept.size());
    for (const TensorId tensor : kept)
      times.push_back(
          Duration{fine.costs().transfers.micros()[index(tensor)] * fine.frequency(tensor)});
    return TransferTimes::per_tensor(std::move(times));
  }
  std::vector<double> micros;
  micros.reserve(kept.size() * fine.device_count() * fine.device_count());
  for (const TensorId tensor : kept)
    for (const DeviceId from : fine.devices())
      for (const DeviceId to : fine.devices())
        micros.push_back(fine.transfer(tensor, from, to).count());
  return TransferTimes::per_tensor_and_pair(fine.device_count(), std::move(micros));
}

Constraints moved_constraints(const Constraints& fine, const Coarsening& map) {
  Constraints coarse;
  for (const Constraints::NodeDevice& pin : fine.pin)
    coarse.pin.push_back({map.coarse_of[pin.node], pin.device});
  for (const Constraints::NodeDevice& forbid : fine.forbid)
    coarse.forbid.push_back({map.coarse_of[forbid.node], forbid.device});
  for (const std::vector<NodeId>& set : fine.apart) {
    std::vector<NodeId>& moved = coarse.apart.emplace_back();
    for (const NodeId node : set) moved.push_back(map.coarse_of[node]);
  }
  return coarse;
}

// The labels must have an acyclic quotient.
Coarsening contract(const Problem& fine, const Labels& labels) {
  Coarsening result = number_contracted(fine, labels);
  const std::size_t count = result.members_of.size();
  const Graph& graph = fine.graph();
  if (count == graph.node_count()) return result;  // nothing to contract: the problem itself

  const Frequencies frequencies = contracted_frequencies(fine, result, count);
  const IdVector<NodeId, std::int32_t> group_of = groups(fine, result, count);
  GraphBuilder builder;
  for (const NodeId coarse : IdRange<NodeId>(count)) {
    Node node = merged_node(graph, result.members_of[coarse], frequencies.of[coarse]);
    node.group = group_of[coarse];
    builder.add_node(std::move(node));
  }
  std::vector<TensorId> kept;
  for (const TensorId tensor : graph.tensors()) {
    const NodeId producer = result.coarse_of[graph.producer(tensor)];
    const std::span<const NodeId> consumers = graph.consumers(tensor);
    const auto outside = [&](NodeId consumer) { return result.coarse_of[consumer] != producer; };
    if (!consumers.empty() && std::ranges::none_of(consumers, outside)) continue;
    const TensorId coarse = builder.add_tensor(producer, graph.tensor(tensor));
    kept.push_back(tensor);
    for (const NodeId consumer : consumers)
      if (outside(consumer)) builder.add_use(coarse, result.coarse_of[consumer]);
  }
  result.problem = Problem(
      fine.name(), std::move(builder).build(), fine.cluster(),
      Costs{merged_times(fine, result, frequencies), kept_transfers(fine, kept, frequencies.mixed)},
      moved_constraints(fine.constraints(), result), fine.model());
  return result;
}

}  // namespace

Coarsening contract_units(const Problem& fine) { return contract(fine, unit_labels(fine)); }

Coarsening contract_sole_consumers(const Problem& fine) {
  const Graph& graph = fine.graph();
  Classes classes(fine);
  Labels labels{IdVector<NodeId, Label>(graph.node_count()), graph.node_count()};
  const std::span<const NodeId> order = graph.topological_order();
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const std::span<const NodeId> successors = graph.successors(*node);
    const bool joins = successors.size() == 1 && classes.tie(*node, successors.front());
    labels.of[*node] = joins ? labels.of[successors.front()] : static_cast<Label>(*node);
  }
  return contract(fine, labels);
}

Placement expand(const Coarsening& coarsening, const Placement& coarse) {
  Placement fine;
  fine.device_of = IdVector<NodeId, DeviceId>(coarsening.coarse_of.size());
  for (const NodeId node : coarsening.coarse_of.ids())
    fine.device_of[node] = coarse.device_of[coarsening.coarse_of[node]];
  if (coarse.order.empty()) return fine;
  fine.order.reserve(coarsening.coarse_of.size());
  for (const NodeId node : coarse.order)
    for (const NodeId member : coarsening.members_of[node]) fine.order.push_back(member);
  return fine;
}

}  // namespace berth
