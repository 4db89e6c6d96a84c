#include "berth/graph/biconnected.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace berth {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Use {  // an edge, seen from one of its ends
  std::uint32_t other, edge;
};

struct Visit {
  std::uint32_t vertex, entered_by;  // the edge it was entered by; kNone for a root
  std::size_t next = 0;              // the use to look at next
};

class Search {
 public:
  Search(std::size_t vertices, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges)
      : uses_(vertices),
        entry_(vertices, kNone),
        low_(vertices, kNone),
        component_(edges.size(), kNone) {
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const auto [a, b] = edges[e];
      assert(a != b &&
             "an edge from a vertex to itself lies on no cycle and between no two vertices");
      uses_[a].push_back({b, e});
      uses_[b].push_back({a, e});
    }
  }

  std::vector<std::uint32_t> run() && {
    for (std::uint32_t root = 0; root < uses_.size(); ++root) {
      if (entry_[root] != kNone) continue;
      enter(root, kNone);
      while (!path_.empty()) step();
    }
    return std::move(component_);
  }

 private:
  void enter(std::uint32_t vertex, std::uint32_t edge) {
    entry_[vertex] = low_[vertex] = time_++;
    path_.push_back({vertex, edge});
  }

  void step() {
    Visit& at = path_.back();
    if (at.next == uses_[at.vertex].size()) return leave();
    const Use use = uses_[at.vertex][at.next++];
    if (use.edge == at.entered_by) return;
    if (entry_[use.other] == kNone) {
      open_.push_back(use.edge);
      enter(use.other, use.edge);
    } else if (entry_[use.other] < entry_[at.vertex]) {  // back to an ancestor
      open_.push_back(use.edge);
      low_[at.vertex] = std::min(low_[at.vertex], entry_[use.other]);
    }
  }

  void leave() {
    const Visit done = path_.back();
    path_.pop_back();
    if (path_.empty()) return;
    const std::uint32_t parent = path_.back().vertex;
    low_[parent] = std::min(low_[parent], low_[done.vertex]);
    if (low_[done.vertex] < entry_[parent]) return;
    std::uint32_t edge = kNone;
    do {
      edge = open_.back();
      open_.pop_back();
      component_[edge] = components_;
    } while (edge != done.entered_by);
    ++components_;
  }

  std::vector<std::vector<Use>> uses_;
  std::vector<std::uint32_t> entry_, low_, component_;
  std::vector<Visit> path_;          // from the root to where the search is
  std::vector<std::uint32_t> open_;  // edges met whose component is not closed
  std::uint32_t time_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> biconnected_components(
    std::size_t vertices, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  return Search(vertices, edges).run();
}

}  // namespace berth
