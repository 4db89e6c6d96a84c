// The nodes that one device may start: those whose inputs are there, and those whose last input
// has a known time of arrival.
//
// Asked at time `now`, the pool gives the node of highest priority (lowest number) among those that
// have arrived, or else the time of the next arrival. In most networks a device has one or two such
// nodes, and the price of a general queue is the branches that no processor can predict. So the
// first few nodes sit in arrays that are looked through without a branch; when they overflow, the
// nodes move to two heaps, one by priority and one by time of arrival, and the worst case stays
// O(log V) per node.
//
// Times are not negative, so they are kept and compared as the bits of the number: EventTime.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "berth/base/branch_free.h"

namespace berth {

using EventTime = std::uint64_t;
constexpr EventTime event_time(double time) { return std::bit_cast<EventTime>(time); }

class ReadyPool {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr EventTime kNever = event_time(std::numeric_limits<double>::infinity());

  struct Next {
    std::uint32_t node = kNone;  // removed from the pool; kNone when nothing has arrived
    double duration = 0;         // of the node
    EventTime soonest = kNever;  // the next arrival, when nothing has arrived
  };

  ReadyPool() { clear(); }

  void clear() {
    arrival_.fill(kNever);
    near_size_ = 0;
    far_ready_.clear();
    far_coming_.clear();
  }

  // Adds the node when `wanted`; without a branch, because that is a coin toss.
  void add_if(bool wanted, std::uint32_t node, double duration, EventTime arrival, EventTime now) {
    arrival_[near_size_] = choose(wanted, arrival, kNever);
    node_[near_size_] = node;
    duration_[near_size_] = duration;
    near_size_ += static_cast<std::uint32_t>(wanted);
    if (near_size_ > kNear) [[unlikely]]
      move_away(now);
  }

  Next take(EventTime now) {
    std::uint64_t best = kNothing;  // number of the node, then its place in the arrays
    EventTime soonest = kNever;
    const auto look_at = [&](std::uint64_t place) {
      const std::uint64_t candidate = node_[place] << kPlaceBits | place;
      best = smaller(best, choose(arrival_[place] <= now, candidate, kNothing));
      soonest = smaller(soonest, arrival_[place]);
    };
    for (std::uint64_t place = 0; place < kFirst; ++place) look_at(place);
    if (near_size_ > kFirst) [[unlikely]]
      for (std::uint64_t place = kFirst; place < kNear; ++place) look_at(place);
    if (!far_ready_.empty() || !far_coming_.empty()) [[unlikely]]
      return take_far(now, best, soonest);

    const bool found = best != kNothing;
    const double duration = duration_[best & kPlaceMask];
    remove(choose(found, static_cast<std::uint32_t>(best & kPlaceMask), near_size_), found);
    return {choose(found, static_cast<std::uint32_t>(best >> kPlaceBits), kNone), duration,
            soonest};
  }

 private:
  static constexpr std::uint32_t kFirst = 3, kNear = 8, kPlaceBits = 4, kPlaces = 1U << kPlaceBits;
  static constexpr std::uint64_t kPlaceMask = kPlaces - 1;
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();

  struct Waiting {
    EventTime arrival;
    double duration;
    std::uint32_t node;
  };

  // The last node takes the place of the one that leaves; free places never arrive.
  void remove(std::uint32_t place, bool found) {
    near_size_ -= static_cast<std::uint32_t>(found);
    arrival_[place] = arrival_[near_size_];
    node_[place] = node_[near_size_];
    duration_[place] = duration_[near_size_];
    arrival_[near_size_] = kNever;
  }

  void move_away(EventTime now);
  Next take_far(EventTime now, std::uint64_t best_near, EventTime soonest_near);

  // Field by field: a copy of a whole record would wait for its parts to reach the cache.
  std::array<EventTime, kPlaces> arrival_;
  std::array<std::uint64_t, kPlaces> node_{};
  std::array<double, kPlaces> duration_{};
  std::uint32_t near_size_ = 0;
  std::vector<Waiting> far_ready_;   // heap, lowest number in front
  std::vector<Waiting> far_coming_;  // heap, earliest in front
};

}  // namespace berth
