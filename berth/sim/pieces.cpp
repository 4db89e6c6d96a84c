#include "berth/sim/pieces.h"

#include <algorithm>
#include <numeric>

#include "berth/graph/order.h"
#include "berth/sim/piece_cutter.h"

namespace berth {

PieceMembers::PieceMembers(const Graph& graph, const Pieces& pieces)
    : nodes_(graph.node_count()), begin_(pieces.count() + 2, 0) {
  for (const std::uint32_t piece : pieces.piece_of) ++begin_[piece + 2];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  for (const NodeId node : graph.topological_order())
    nodes_[begin_[pieces.piece_of[node] + 1]++] = node;
}

Pieces subgraph_pieces(const Graph& graph, std::span<const DeviceId> device_of) {
  return PieceCutter(graph).subgraphs(device_of);
}

Pieces eager_pieces(const Graph& graph, std::span<const DeviceId> device_of) {
  return PieceCutter(graph).eager(device_of);
}

Pieces cut_into_pieces(const Problem& problem, std::span<const DeviceId> device_of,
                       PieceKind kind) {
  if (kind == PieceKind::kSubgraphs) return subgraph_pieces(problem.graph(), device_of);
  if (kind == PieceKind::kEager) return eager_pieces(problem.graph(), device_of);
  std::vector<bool> is_host;
  for (const DeviceId device : problem.devices())
    is_host.push_back(problem.cluster().device(device).is_host());
  return PieceCutter(problem.graph()).calls(device_of, is_host);
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
      if (is_forward(node))
        edges.emplace_back(from, to);
      else if (!has_forward[from] || !has_forward[to])
        edges.emplace_back(to, from);
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
  std::ranges::sort(component);
  return std::ranges::adjacent_find(component) == component.end();
}

}  // namespace

bool forms_pipeline(const Problem& problem, std::span<const DeviceId> device_of) {
  const std::vector<std::pair<UnitId, UnitId>> order = pipeline_order(problem);
  const auto device = [&](UnitId unit) { return device_of[index(problem.members(unit).front())]; };
  if (!flows_one_way(order, problem.device_count(),
                     [&](UnitId unit) { return index(device(unit)); }))
    return false;
  if (!problem.counts_network()) return true;
  const Servers servers = problem.cluster().servers();
  return flows_one_way(order, servers.count(),
                       [&](UnitId unit) { return servers.of[device(unit)]; });
}

}  // namespace berth
