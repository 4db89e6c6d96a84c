// Minimum s-t cut of a directed network with integer capacities.
//
// Which nodes belong to the source's side S and which to the sink's, so that the capacity of all
// arcs that run from S to the rest is least? By duality that equals the maximum flow.
//
// Method: push-relabel, highest label first, with the gap rule and periodic exact labels (breadth-
// first from the sink). Only a maximum preflow is computed, which is enough for the cut: excess
// that can no longer reach the sink stays where it is. Arcs of infinite capacity at the terminals
// are taken out first: what they reach belongs to that side. O(V^2 sqrt(E)) in the worst case;
// near linear on the deep and sparse networks that placement makes, where Dinic needs one phase
// per distance and so grows with the depth (bench/cut compares them).
//
// Cherkassky and Goldberg, On Implementing the Push-Relabel Method for the Maximum Flow Problem,
// Algorithmica 1997.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace berth {

using Capacity = std::int64_t;
inline constexpr Capacity kInfiniteCapacity = std::numeric_limits<Capacity>::max();

// Nodes 0 ... count-1 between two terminals that have no number.
template <class Cost>
struct CutNetwork {
  explicit CutNetwork(std::size_t nodes = 0) : from_source(nodes, 0), to_sink(nodes, 0) {}

  std::size_t node_count() const { return from_source.size(); }
  std::uint32_t add_node() {
    from_source.push_back(0);
    to_sink.push_back(0);
    return static_cast<std::uint32_t>(node_count() - 1);
  }
  // Paid when `from` is on the source's side and `to` on the sink's; `back` the other way round.
  void add_arc(std::uint32_t from, std::uint32_t to, Cost capacity, Cost back = 0) {
    arcs.push_back({from, to, capacity, back});
  }

  struct Arc {
    std::uint32_t from, to;
    Cost capacity, back;
  };
  std::vector<Arc> arcs;
  std::vector<Cost> from_source, to_sink;  // paid on the sink's side, on the source's side
};

// Finite capacities may add up to kLargestTotal at most.
struct FlowNetwork : CutNetwork<Capacity> {
  static constexpr Capacity kLargestTotal = Capacity{1} << 61;
  using CutNetwork::CutNetwork;

  // Paid when the node is on the sink's side, on the source's side.
  void add_terminals(std::uint32_t node, Capacity if_sink_side, Capacity if_source_side) {
    from_source[node] = add(from_source[node], if_sink_side);
    to_sink[node] = add(to_sink[node], if_source_side);
  }

 private:
  static Capacity add(Capacity a, Capacity b) {
    return a == kInfiniteCapacity || b == kInfiniteCapacity ? kInfiniteCapacity : a + b;
  }
};

struct MinimumCut {
  Capacity value = 0;                     // kInfiniteCapacity: every cut has an infinite arc
  std::vector<std::uint8_t> source_side;  // the largest source side of all minimum cuts
};

MinimumCut minimum_cut(const FlowNetwork& network);

}  // namespace berth
