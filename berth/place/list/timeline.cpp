#include "berth/place/list/timeline.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace berth {

Timeline::Timeline() : chunks_{{Gap{}}}, longest_{kNever}, last_end_{kNever} {}

Timeline::Slot Timeline::find(Duration ready_time, Duration run_time) const {
  const double ready = ready_time.count(), length = run_time.count();
  // Gaps that end before ready + length are out of the question.
  const double earliest_end = ready + length;
  std::size_t chunk = static_cast<std::size_t>(
      std::lower_bound(last_end_.begin(), last_end_.end(), earliest_end) - last_end_.begin());
  assert(chunk < chunks_.size());  // the last gap ends never
  const std::vector<Gap>& first = chunks_[chunk];
  auto at = static_cast<std::size_t>(
      std::partition_point(first.begin(), first.end(),
                           [&](const Gap& gap) { return gap.end < earliest_end; }) -
      first.begin());
  for (;;) {
    const std::vector<Gap>& gaps = chunks_[chunk];
    for (; at < gaps.size(); ++at) {
      const double start = std::max(gaps[at].begin, ready);
      if (start + length <= gaps[at].end) return {Duration{start}, chunk, at};
    }
    at = 0;
    do ++chunk;
    while (longest_[chunk] < length);
  }
}

void Timeline::occupy(const Slot& slot, Duration length) {
  std::vector<Gap>& gaps = chunks_[slot.chunk];
  Gap& gap = gaps[slot.at];
  const double start = slot.start.count(), finish = (slot.start + length).count();
  // A run without length at the edge of a gap leaves it as it is.
  if (finish == start && (start == gap.begin || start == gap.end)) return;
  const Gap rest{finish, gap.end};
  gap.end = start;
  gaps.insert(gaps.begin() + static_cast<std::ptrdiff_t>(slot.at) + 1, rest);
  if (gaps.size() > kChunkSize) {
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(kChunkSize / 2);
    std::vector<Gap> upper(middle, gaps.end());
    gaps.erase(middle, gaps.end());
    const auto next = static_cast<std::ptrdiff_t>(slot.chunk) + 1;
    chunks_.insert(chunks_.begin() + next, std::move(upper));
    longest_.insert(longest_.begin() + next, 0.0);
    last_end_.insert(last_end_.begin() + next, 0.0);
    refresh(slot.chunk + 1);
  }
  refresh(slot.chunk);
}

void Timeline::refresh(std::size_t chunk) {
  const std::vector<Gap>& gaps = chunks_[chunk];
  double longest = 0;
  // The difference is rounded; a little more than it, so that no gap that fits is skipped.
  for (const Gap& gap : gaps) {
    const double slack =
        gap.end == kNever ? 0 : 4 * std::numeric_limits<double>::epsilon() * gap.end;
    longest = std::max(longest, gap.end - gap.begin + slack);
  }
  longest_[chunk] = longest;
  last_end_[chunk] = gaps.back().end;
}

}  // namespace berth
