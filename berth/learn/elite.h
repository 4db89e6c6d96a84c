// The best placements of a training: distinct, feasible, best first.
//
// They are the answer in the end, and on the way what a learner replays and refinement starts from.
#pragma once

#include <cstddef>
#include <vector>

#include "berth/learn/policy_graph.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Scored {
  SetDevices devices;
  Score score;

  friend bool operator==(const Scored&, const Scored&) = default;
};

class Elite {
 public:
  explicit Elite(std::size_t most);  // at least one

  // Whether a placement of such a score, if it is new, is kept.
  bool takes(const Score& score) const;
  // Keeps it if it fits and is good enough; equal ones in the order in which they came.
  void admit(const Scored& found);

  const std::vector<Scored>& members() const { return members_; }
  bool empty() const { return members_.empty(); }
  const Scored& best() const { return members_.front(); }  // only when not empty

 private:
  std::size_t most_;
  std::vector<Scored> members_;
};

}  // namespace berth
