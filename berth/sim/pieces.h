// A placement cut into pieces: sets of nodes of one device that can run as one unit of execution.
//
// Three uses. Subgraphs, as OpenVINO HETERO forms them: connected (by edges between nodes of the
// same device), and no path leaves a subgraph and comes back. Calls, as accelerators make them in
// the call model: all nodes of an accelerator together unless a path leaves and comes back; every
// CPU node is a piece of its own. Prompt pieces, as concurrent executors want them: as large as
// they can be while no tensor leaves its device later, and no node starts later, than if every node
// ran by itself.
//
// Rule of subgraphs and calls. M_d(v) is the largest piece number of device d on any path to v. For
// v on d:
//   piece(v) = max(1, max over predecessors u of M_d(u) + [u is not on d and M_d(u) > 0])
// so a path that leaves d and returns finds the next piece. Subgraphs are the connected parts of
// these pieces. All pieces are now convex, but two may still feed each other (a1 -> b1, b2 -> a2):
// the members of each cycle of the quotient are split by level, level(v) = max over predecessors
// u of level(u) + [other device], which leaves the quotient acyclic; subgraphs are again taken as
// connected parts. O((V + E) D).
//
// Rule of eager pieces. A crossing is a tensor with the device that receives it. Let in(v) be the
// crossings on some path to v, and out(v) those on some path from v. Nodes of one device with equal
// in and equal out form one piece. Such a piece can start as a whole when its first node can, and
// what it sends needs all of its nodes, so nothing is lost. The quotient is acyclic: along a path
// in() only grows and out() only shrinks, so a path that comes back to a piece on one device never
// left it, and one that comes back through another device would close a cycle of crossings.
// O((V + E) C / 64) for C crossings.
#pragma once

#include "berth/problem.h"

namespace berth {

enum class PieceKind : std::uint8_t { kSubgraphs, kCalls, kEager };

struct Pieces {
  // Pieces are numbered in a topological order of the quotient; of those that may come next, the
  // one whose first member comes first in the graph's topological order.
  IdVector<NodeId, std::uint32_t> piece_of;
  std::vector<DeviceId> device;  // of each piece
  std::size_t count() const { return device.size(); }
};

// The nodes of each piece, in topological order.
class PieceMembers {
 public:
  PieceMembers(const Graph& graph, const Pieces& pieces);
  std::span<const NodeId> of(std::uint32_t piece) const {
    return {nodes_.data() + begin_[piece], nodes_.data() + begin_[piece + 1]};
  }

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> begin_;
};

// One placement; for many of one graph see piece_cutter.h.
Pieces cut_into_pieces(const Problem& problem, std::span<const DeviceId> device_of, PieceKind kind);
// The same from the graph alone, which is all that subgraphs and eager pieces need.
Pieces subgraph_pieces(const Graph& graph, std::span<const DeviceId> device_of);
Pieces eager_pieces(const Graph& graph, std::span<const DeviceId> device_of);

// The order that contiguous pieces must respect, as edges between units: those between forward
// nodes; and, for a unit that has backward nodes only, the mirror image of its backward edges.
std::vector<std::pair<UnitId, UnitId>> pipeline_order(const Problem& problem);

// Whether the devices form a chain of nested ideals of that order, that is a pipeline in which data
// flows one way: the quotient of the order by devices has no cycle. Where a network between servers
// counts, data flows one way between servers too: each holds a run of consecutive pieces.
bool forms_pipeline(const Problem& problem, std::span<const DeviceId> device_of);

}  // namespace berth
