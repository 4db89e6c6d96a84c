// Sets that only grow together: union by smaller root, path halving. A find is near O(1).
//
// The smallest item of a set is its root, so that results do not depend on the order of the joins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace berth {

class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  // The root of both.
  std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a > b) std::swap(a, b);
    return parent_[b] = a;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace berth
