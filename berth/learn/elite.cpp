#include "berth/learn/elite.h"

#include <algorithm>

namespace berth {

Elite::Elite(std::size_t most) : most_(std::max<std::size_t>(most, 1)) {}

bool Elite::takes(const Score& score) const {
  return score.feasible() && score.value != kForever &&
         (members_.size() < most_ || score < members_.back().score);
}

void Elite::admit(const Scored& found) {
  if (!takes(found.score)) return;
  const auto place =
      std::upper_bound(members_.begin(), members_.end(), found,
                       [](const Scored& a, const Scored& b) { return a.score < b.score; });
  if (std::find(members_.begin(), place, found) != place) return;
  members_.insert(place, found);
  if (members_.size() > most_) members_.pop_back();
}

}  // namespace berth
