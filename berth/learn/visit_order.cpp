#include "berth/learn/visit_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "berth/graph/order.h"

namespace berth {
namespace {

// Components are numbered against the edges.
std::vector<std::uint32_t> topological(const Adjacency& successors) {
  const std::vector<std::uint32_t> component = strongly_connected_components(successors);
  std::vector<std::uint32_t> order(successors.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::uint32_t set) { return component[set]; });
  return order;
}

// By set: those that a path of rising edges leads to.
std::vector<std::vector<bool>> reachable(const Adjacency& successors,
                                         const std::vector<std::uint32_t>& order) {
  const std::size_t sets = order.size();
  std::vector<std::size_t> position(sets);
  for (std::size_t i = 0; i < sets; ++i) position[order[i]] = i;
  std::vector<std::vector<bool>> result(sets, std::vector<bool>(sets, false));
  for (std::size_t i = sets; i-- > 0;) {
    std::vector<bool>& row = result[order[i]];
    for (const std::uint32_t next : successors[order[i]]) {
      if (position[next] <= i) continue;
      for (std::size_t other = 0; other < sets; ++other)
        if (result[next][other]) row[other] = true;
      row[next] = true;
    }
  }
  return result;
}

}  // namespace

VisitOrder::VisitOrder(const Adjacency& successors)
    : order_(topological(successors)),
      relation_(successors.size() * successors.size(), Relation::kParallel) {
  const std::vector<std::vector<bool>> after = reachable(successors, order_);
  for (std::size_t set = 0; set < size(); ++set) {
    relation_[set * size() + set] = Relation::kSelf;
    for (std::size_t other = 0; other < size(); ++other) {
      if (!after[set][other]) continue;
      relation_[set * size() + other] = Relation::kDescendant;
      relation_[other * size() + set] = Relation::kAncestor;
    }
  }
}

}  // namespace berth
