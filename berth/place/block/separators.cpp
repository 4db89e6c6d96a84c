#include "berth/place/block/separators.h"

#include <algorithm>
#include <array>
#include <bit>

#include "berth/graph/cut_nodes.h"

namespace berth {
namespace {

constexpr std::size_t kMostNodes = 6000;  // reachability of all pairs in 5 MB
constexpr std::array kShares{0.01, 0.03, 0.06, 0.12, 0.25, 0.5};

class Reachability {
 public:
  explicit Reachability(const Graph& graph)
      : words_((graph.node_count() + 63) / 64),
        after_(graph.node_count() * words_, 0),
        incomparable_(graph.node_count(), graph.node_count() - 1) {
    const std::span<const NodeId> order = graph.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at)
      for (const NodeId next : graph.successors(*at)) {
        for (std::size_t word = 0; word < words_; ++word) row(*at)[word] |= row(next)[word];
        row(*at)[index(next) / 64] |= std::uint64_t{1} << (index(next) % 64);
      }
    for (const NodeId node : graph.nodes())
      for (const NodeId other : graph.nodes())
        if (reaches(node, other)) --incomparable_[node], --incomparable_[other];
  }

  bool reaches(NodeId from, NodeId to) const {
    return (after_[index(from) * words_ + index(to) / 64] >> (index(to) % 64) & 1) != 0;
  }
  // Nodes that are neither before nor after it.
  std::size_t incomparable(NodeId node) const { return incomparable_[node]; }

 private:
  std::uint64_t* row(NodeId node) { return &after_[index(node) * words_]; }

  std::size_t words_;
  std::vector<std::uint64_t> after_;
  IdVector<NodeId, std::size_t> incomparable_;
};

// Of the candidates, in topological order; the first of the longest ones.
std::vector<NodeId> longest_chain(const std::vector<NodeId>& candidates,
                                  const Reachability& reachability) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> length(candidates.size(), 1), before(candidates.size(), kNone);
  std::size_t best = kNone;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (length[j] + 1 > length[i] && reachability.reaches(candidates[j], candidates[i])) {
        length[i] = length[j] + 1;
        before[i] = j;
      }
    if (best == kNone || length[i] > length[best]) best = i;
  }
  std::vector<NodeId> chain;
  for (; best != kNone; best = before[best]) chain.push_back(candidates[best]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::vector<Separators> separator_chains(const Graph& graph) {
  std::vector<Separators> chains{{cut_nodes(graph), true}};
  if (graph.node_count() > kMostNodes) return chains;
  const Reachability reachability(graph);
  for (const double share : kShares) {
    const double most = share * static_cast<double>(graph.node_count());
    std::vector<NodeId> candidates;
    for (const NodeId node : graph.topological_order())
      if (static_cast<double>(reachability.incomparable(node)) <= most) candidates.push_back(node);
    std::vector<NodeId> chain = longest_chain(candidates, reachability);
    if (chain != chains.back().nodes) chains.push_back({std::move(chain), false});
  }
  return chains;
}

}  // namespace berth
