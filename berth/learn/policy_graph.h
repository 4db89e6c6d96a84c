// The graph that a learned policy sees: co-location sets, and the edges between them.
//
// Nodes that must share a device (the problem's units) are one set. Units may be joined further:
//   chains   the paper's rule: b is the only successor of a, and a the only predecessor of b
//   parents  the rule of the authors' program: a is the only predecessor of b
// Fewer sets are learned faster, and a cut inside a chain is then out of reach: where neighbours in
// a chain prefer different devices the best placement may be lost. Sets are joined where some
// device may run both and no apart set names them. All of a set but its first unit have their
// predecessors inside it, so joining closes no cycle. Sets are numbered by their first node in
// topological order, so that on graphs without groups every edge rises.
//
// O(V + E) nearly. Duan et al., A Structure-Aware Framework ..., NeurIPS 2024, appendix G.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/ids.h"
#include "berth/base/random.h"
#include "berth/graph/fractal_dimension.h"
#include "berth/learn/parsing.h"
#include "berth/placement.h"
#include "berth/problem.h"

namespace berth {

using SetDevices = std::vector<std::uint32_t>;  // the device of each set
using SetGroup = std::vector<std::uint32_t>;    // the sets of one group

enum class Colocation : std::uint8_t { kUnits, kChains, kParents };

struct PolicyGraph {
  struct Edge {
    std::uint32_t from, to;  // different sets; each ordered pair occurs once
    double bytes;            // of the tensors between them, per sample
  };

  std::size_t device_count = 0;
  IdVector<NodeId, std::uint32_t> set_of;
  std::vector<std::vector<NodeId>> members;  // in topological order
  std::vector<Edge> edges;                   // by (from, to)
  Adjacency successors, predecessors;
  // By set and device, set-major.
  std::vector<double> micros;  // sum of the members' times
  std::vector<std::uint8_t> allowed;
  // By set.
  std::vector<double> weight_bytes, output_bytes, flops;

  std::size_t size() const { return members.size(); }
  bool may_use(std::uint32_t set, std::size_t device) const {
    return allowed[set * device_count + device] != 0;
  }
};

PolicyGraph policy_graph(const Problem& problem, Colocation colocation = Colocation::kChains);

// The same graph with each group of sets as one set. Sets are numbered by their first set, which
// keeps no order between them.
PolicyGraph contracted(const Problem& problem, const PolicyGraph& graph, const Groups& groups);

// The device of each set, told for the nodes.
Placement spread(const PolicyGraph& graph, const SetDevices& devices);
// The device of each set's first node.
SetDevices gather(const PolicyGraph& graph, const Placement& placement);

// `size` sets around one that is drawn, nearest first; fewer where no more are connected with it.
SetGroup neighbourhood(const PolicyGraph& graph, std::size_t size, Rng& rng);

}  // namespace berth
