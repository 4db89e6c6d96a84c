// A placement cut into pieces: sets of nodes of one device that can run as one unit of execution.
//
// Two uses. Subgraphs, as OpenVINO HETERO forms them: connected (by edges between nodes of the
// same device), and no path leaves a subgraph and comes back. Calls, as accelerators make them in
// the call model: all nodes of a device together unless a path leaves and comes back.
//
// Rule. M_d(v) is the largest piece number of device d on any path to v. For v on d:
//   piece(v) = max(1, max over predecessors u of M_d(u) + [u is not on d and M_d(u) > 0])
// so a path that leaves d and returns finds the next piece. That makes pieces convex; two convex
// pieces may still feed each other (a1 -> b1, b2 -> a2), so the members of each cycle of the
// quotient are then split by level, level(v) = max over predecessors of level(u) + [other device],
// which leaves the quotient acyclic. Subgraphs are then the connected parts of each piece.
// O((V + E) D).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/ids.h"
#include "berth/graph/graph.h"

namespace berth {

enum class PieceKind : std::uint8_t { kSubgraphs, kCalls };

struct Pieces {
  IdVector<NodeId, std::uint32_t> piece_of;    // pieces are numbered in a topological order
  std::vector<DeviceId> device;                // of each piece
  std::size_t count() const { return device.size(); }
};

Pieces cut_into_pieces(const Graph& graph, std::size_t device_count,
                       std::span<const DeviceId> device_of, PieceKind kind);

}  // namespace berth
