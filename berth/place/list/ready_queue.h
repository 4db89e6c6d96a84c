// The ready nodes as one device sees them: those that could start now, the most urgent on top, and
// those that must still wait for their inputs, the earliest on top. O(log V) per change.
#pragma once

#include <queue>
#include <tuple>

#include "berth/base/ids.h"
#include "berth/base/units.h"

namespace berth {

class ReadyQueue {
 public:
  struct Entry {
    Duration ready;      // when the inputs are on the device
    std::uint32_t rank;  // smaller is more urgent
    NodeId node;
  };

  void push(const Entry& entry) { waiting_.push(entry); }
  // The entry of least (start, rank) on a device that is free from then on; null when there is none.
  const Entry* top(Duration free) {
    for (; !waiting_.empty() && waiting_.top().ready <= free; waiting_.pop())
      startable_.push(waiting_.top());
    if (!startable_.empty()) return &startable_.top();
    return waiting_.empty() ? nullptr : &waiting_.top();
  }
  // Takes away what top() has given.
  void pop() { startable_.empty() ? waiting_.pop() : startable_.pop(); }

 private:
  struct LaterRank {
    bool operator()(const Entry& a, const Entry& b) const { return a.rank > b.rank; }
  };
  struct LaterReady {
    bool operator()(const Entry& a, const Entry& b) const {
      return std::tie(a.ready, a.rank) > std::tie(b.ready, b.rank);
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, LaterRank> startable_;
  std::priority_queue<Entry, std::vector<Entry>, LaterReady> waiting_;
};

}  // namespace berth
