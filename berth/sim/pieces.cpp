#include "berth/sim/pieces.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "berth/graph/order.h"

namespace berth {
namespace {

using Labels = IdVector<NodeId, std::uint32_t>;

// Renumbers arbitrary (label, key) pairs to 0, 1, ... in order of first appearance.
Labels relabel(const Graph& graph, const Labels& label, const Labels& key) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  Labels result(label.size(), 0);
  for (const NodeId node : graph.topological_order()) {
    const std::uint64_t both = (std::uint64_t{label[node]} << 32) | key[node];
    result[node] = known.try_emplace(both, static_cast<std::uint32_t>(known.size())).first->second;
  }
  return result;
}

// The connected parts of each label, over edges between nodes of the same label.
Labels connected_parts(const Graph& graph, const Labels& label) {
  Labels parent(label.size(), 0);
  for (const NodeId node : graph.nodes()) parent[node] = static_cast<std::uint32_t>(node);
  const auto find = [&](std::uint32_t at) {
    while (parent[static_cast<NodeId>(at)] != at)
      at = parent[static_cast<NodeId>(at)] = parent[static_cast<NodeId>(parent[static_cast<NodeId>(at)])];
    return at;
  };
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node))
      if (label[node] == label[next])
        parent[static_cast<NodeId>(find(static_cast<std::uint32_t>(next)))] =
            find(static_cast<std::uint32_t>(node));
  Labels root(label.size(), 0);
  for (const NodeId node : graph.nodes()) root[node] = find(static_cast<std::uint32_t>(node));
  return relabel(graph, Labels(label.size(), 0), root);
}

std::vector<std::vector<std::uint32_t>> quotient(const Graph& graph, const Labels& label,
                                                 std::size_t count) {
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node))
      if (label[node] != label[next]) successors[label[node]].push_back(label[next]);
  for (auto& list : successors) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return successors;
}

std::size_t count_of(const Labels& label) {
  return label.empty() ? 0 : *std::max_element(label.begin(), label.end()) + std::size_t{1};
}

// piece(v) of the header. `alone` tells which devices run each node as a piece of its own.
Labels convex_pieces(const Graph& graph, std::span<const DeviceId> device_of,
                     const std::vector<bool>& alone) {
  const std::size_t devices = alone.size();
  std::vector<std::uint32_t> largest(graph.node_count() * devices, 0);  // M_d(v)
  Labels number(graph.node_count(), 1), device(graph.node_count(), 0);
  for (const NodeId node : graph.topological_order()) {
    const std::size_t own = index(device_of[index(node)]);
    std::uint32_t* const mine = &largest[index(node) * devices];
    std::uint32_t piece = 1;
    for (const NodeId before : graph.predecessors(node)) {
      const std::uint32_t* const theirs = &largest[index(before) * devices];
      for (std::size_t d = 0; d < devices; ++d) mine[d] = std::max(mine[d], theirs[d]);
      const bool outside = index(device_of[index(before)]) != own;
      piece = std::max(piece, theirs[own] + (outside && theirs[own] > 0 ? 1 : 0));
    }
    mine[own] = piece;
    number[node] = piece;
    device[node] = static_cast<std::uint32_t>(own);
    if (alone[own]) {
      device[node] = static_cast<std::uint32_t>(devices);  // not a device: a node by itself
      number[node] = static_cast<std::uint32_t>(node);
    }
  }
  return relabel(graph, device, number);
}

Labels levels(const Graph& graph, std::span<const DeviceId> device_of) {
  Labels level(graph.node_count(), 0);
  for (const NodeId node : graph.topological_order())
    for (const NodeId before : graph.predecessors(node))
      level[node] = std::max(level[node], level[before] + (device_of[index(before)] !=
                                                           device_of[index(node)]));
  return level;
}

// Splits the pieces that lie on a cycle of the quotient by level.
Labels without_cycles(const Graph& graph, std::span<const DeviceId> device_of, Labels piece,
                      PieceKind kind) {
  const std::size_t count = count_of(piece);
  const std::vector<std::uint32_t> component =
      strongly_connected_components(quotient(graph, piece, count));
  std::vector<std::uint32_t> size(count, 0);
  for (const std::uint32_t c : component) ++size[c];
  if (std::all_of(size.begin(), size.end(), [](std::uint32_t n) { return n <= 1; })) return piece;
  Labels level = levels(graph, device_of);
  for (const NodeId node : graph.nodes())
    if (size[component[piece[node]]] <= 1) level[node] = 0;
  piece = relabel(graph, piece, level);
  return kind == PieceKind::kSubgraphs ? connected_parts(graph, piece) : piece;
}

// One row of bits per node.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t bits)
      : words_((bits + 63) / 64), data_(rows * words_, 0) {}
  void set(NodeId row, std::size_t bit) {
    data_[index(row) * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void merge(NodeId into, NodeId from) {
    for (std::size_t w = 0; w < words_; ++w)
      data_[index(into) * words_ + w] |= data_[index(from) * words_ + w];
  }
  std::span<const std::uint64_t> row(NodeId node) const {
    return {data_.data() + index(node) * words_, words_};
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> data_;
};

// Each crossing, with its producer and the consumers on the receiving device.
struct Crossing {
  NodeId from;
  std::vector<NodeId> to;
};

std::vector<Crossing> crossings_of(const Graph& graph, std::span<const DeviceId> device_of) {
  std::vector<Crossing> crossings;
  for (const TensorId tensor : graph.tensors()) {
    const NodeId from = graph.producer(tensor);
    std::unordered_map<std::size_t, std::size_t> known;  // receiving device -> its crossing
    for (const NodeId to : graph.consumers(tensor)) {
      if (device_of[index(to)] == device_of[index(from)]) continue;
      const auto [at, is_new] = known.try_emplace(index(device_of[index(to)]), crossings.size());
      if (is_new) crossings.push_back({from, {}});
      crossings[at->second].to.push_back(to);
    }
  }
  return crossings;
}

// Nodes of one device with equal in(v) and equal out(v).
Labels equal_crossings(const Graph& graph, std::span<const DeviceId> device_of) {
  const std::vector<Crossing> crossings = crossings_of(graph, device_of);
  BitRows in(graph.node_count(), crossings.size()), out(graph.node_count(), crossings.size());
  for (std::size_t c = 0; c < crossings.size(); ++c) {
    out.set(crossings[c].from, c);
    for (const NodeId to : crossings[c].to) in.set(to, c);
  }
  const std::span<const NodeId> order = graph.topological_order();
  for (const NodeId node : order)
    for (const NodeId before : graph.predecessors(node)) in.merge(node, before);
  for (std::size_t i = order.size(); i-- > 0;)
    for (const NodeId next : graph.successors(order[i])) out.merge(order[i], next);

  std::map<std::tuple<std::size_t, std::vector<std::uint64_t>, std::vector<std::uint64_t>>,
           std::uint32_t>
      known;
  Labels label(graph.node_count(), 0);
  const auto copied = [](std::span<const std::uint64_t> bits) {
    return std::vector<std::uint64_t>(bits.begin(), bits.end());
  };
  for (const NodeId node : order)
    label[node] = known
                      .try_emplace({index(device_of[index(node)]), copied(in.row(node)),
                                    copied(out.row(node))},
                                   static_cast<std::uint32_t>(known.size()))
                      .first->second;
  return label;
}

// Pieces in a topological order of the quotient, earliest first member first.
Pieces numbered(const Graph& graph, std::span<const DeviceId> device_of, const Labels& piece) {
  const std::size_t count = count_of(piece);
  const std::vector<std::vector<std::uint32_t>> successors = quotient(graph, piece, count);
  std::vector<std::uint32_t> missing(count, 0), number(count, 0);
  for (const auto& list : successors)
    for (const std::uint32_t next : list) ++missing[next];
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t p = 0; p < count; ++p)
    if (missing[p] == 0) ready.push(p);
  Pieces result;
  result.device.resize(count);
  for (std::uint32_t next_number = 0; !ready.empty(); ++next_number) {
    const std::uint32_t p = ready.top();
    ready.pop();
    number[p] = next_number;
    for (const std::uint32_t next : successors[p])
      if (--missing[next] == 0) ready.push(next);
  }
  result.piece_of.assign(graph.node_count(), 0);
  for (const NodeId node : graph.nodes()) {
    result.piece_of[node] = number[piece[node]];
    result.device[result.piece_of[node]] = device_of[index(node)];
  }
  return result;
}

std::size_t devices_in(std::span<const DeviceId> device_of) {
  std::size_t count = 0;
  for (const DeviceId device : device_of) count = std::max(count, index(device) + 1);
  return count;
}

}  // namespace

Pieces subgraph_pieces(const Graph& graph, std::span<const DeviceId> device_of) {
  const std::vector<bool> none_alone(devices_in(device_of), false);
  Labels piece = connected_parts(graph, convex_pieces(graph, device_of, none_alone));
  piece = without_cycles(graph, device_of, std::move(piece), PieceKind::kSubgraphs);
  return numbered(graph, device_of, piece);
}

Pieces prompt_pieces(const Graph& graph, std::span<const DeviceId> device_of) {
  return numbered(graph, device_of, equal_crossings(graph, device_of));
}

Pieces cut_into_pieces(const Problem& problem, std::span<const DeviceId> device_of,
                       PieceKind kind) {
  if (kind == PieceKind::kSubgraphs) return subgraph_pieces(problem.graph(), device_of);
  if (kind == PieceKind::kPrompt) return prompt_pieces(problem.graph(), device_of);
  std::vector<bool> alone;
  for (const DeviceId device : problem.devices())
    alone.push_back(problem.cluster().device(device).is_host());
  Labels piece = convex_pieces(problem.graph(), device_of, alone);
  piece = without_cycles(problem.graph(), device_of, std::move(piece), kind);
  return numbered(problem.graph(), device_of, piece);
}

std::vector<std::pair<UnitId, UnitId>> pipeline_order(const Problem& problem) {
  const Graph& graph = problem.graph();
  const auto is_forward = [&](NodeId node) { return graph.node(node).pass == Pass::kForward; };
  IdVector<UnitId, bool> has_forward(problem.unit_count(), false);
  for (const NodeId node : graph.nodes())
    if (is_forward(node)) has_forward[problem.unit_of(node)] = true;
  std::vector<std::pair<UnitId, UnitId>> edges;
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node)) {
      const UnitId from = problem.unit_of(node), to = problem.unit_of(next);
      if (from == to || is_forward(node) != is_forward(next)) continue;
      if (is_forward(node)) edges.emplace_back(from, to);
      else if (!has_forward[from] || !has_forward[to]) edges.emplace_back(to, from);
    }
  return edges;
}

namespace {

// Whether the quotient of the order by some grouping of units has no cycle.
template <class GroupOf>
bool flows_one_way(const std::vector<std::pair<UnitId, UnitId>>& order, std::size_t groups,
                   GroupOf&& group_of) {
  std::vector<std::uint8_t> feeds(groups * groups, 0);
  for (const auto& [from, to] : order) feeds[group_of(from) * groups + group_of(to)] = 1;
  std::vector<std::vector<std::uint32_t>> successors(groups);
  for (std::size_t from = 0; from < groups; ++from)
    for (std::uint32_t to = 0; to < groups; ++to)
      if (from != to && feeds[from * groups + to] != 0) successors[from].push_back(to);
  std::vector<std::uint32_t> component = strongly_connected_components(successors);
  std::sort(component.begin(), component.end());
  return std::adjacent_find(component.begin(), component.end()) == component.end();
}

}  // namespace

bool forms_pipeline(const Problem& problem, std::span<const DeviceId> device_of) {
  const std::vector<std::pair<UnitId, UnitId>> order = pipeline_order(problem);
  const auto device = [&](UnitId unit) { return device_of[index(problem.members(unit).front())]; };
  if (!flows_one_way(order, problem.device_count(), [&](UnitId unit) { return index(device(unit)); }))
    return false;
  if (!problem.counts_network()) return true;
  const Servers servers = problem.cluster().servers();
  return flows_one_way(order, servers.count(), [&](UnitId unit) { return servers.of[device(unit)]; });
}

}  // namespace berth
