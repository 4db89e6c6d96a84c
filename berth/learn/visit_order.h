// In which order an episode visits the sets of a graph, and what the others are to the visited one.
//
// The order is topological. Where co-location has tied sets to a cycle, those of a cycle follow
// each other by number, and edges that go back in the order make nobody an ancestor. Seen from one
// set all others are
//   ancestors    from which a path leads to it
//   descendants  to which a path leads from it
//   parallel     the rest
// O(V E).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/graph/fractal_dimension.h"

namespace berth {

enum class Relation : std::uint8_t { kAncestor, kDescendant, kParallel, kSelf };

class VisitOrder {
 public:
  explicit VisitOrder(const Adjacency& successors);

  std::size_t size() const { return order_.size(); }
  std::uint32_t operator[](std::size_t step) const { return order_[step]; }
  // What `other` is to `set`.
  Relation relation(std::uint32_t set, std::uint32_t other) const {
    return relation_[set * size() + other];
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<Relation> relation_;  // set-major
};

}  // namespace berth
