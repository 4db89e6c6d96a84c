#include "berth/sim/ready_pool.h"

namespace berth {
namespace {

// Heaps have the largest in front: the order is turned round.
constexpr auto kByPriority = [](const auto& a, const auto& b) { return a.node > b.node; };
constexpr auto kByArrival = [](const auto& a, const auto& b) { return a.arrival > b.arrival; };

template <class T, class Order>
void push(std::vector<T>& heap, const T& item, Order order) {
  heap.push_back(item);
  std::push_heap(heap.begin(), heap.end(), order);
}

template <class T, class Order>
T pop(std::vector<T>& heap, Order order) {
  std::pop_heap(heap.begin(), heap.end(), order);
  const T item = heap.back();
  heap.pop_back();
  return item;
}

}  // namespace

void ReadyPool::move_away(EventTime now) {
  for (std::uint32_t place = 0; place < near_size_; ++place) {
    const Waiting waiting{arrival_[place], duration_[place],
                          static_cast<std::uint32_t>(node_[place])};
    if (waiting.arrival <= now)
      push(far_ready_, waiting, kByPriority);
    else
      push(far_coming_, waiting, kByArrival);
  }
  arrival_.fill(kNever);
  near_size_ = 0;
}

ReadyPool::Next ReadyPool::take_far(EventTime now, std::uint64_t best_near,
                                    EventTime soonest_near) {
  while (!far_coming_.empty() && far_coming_.front().arrival <= now)
    push(far_ready_, pop(far_coming_, kByArrival), kByPriority);
  const std::uint32_t place = static_cast<std::uint32_t>(best_near & kPlaceMask);
  const std::uint32_t near =
      best_near == kNothing ? kNone : static_cast<std::uint32_t>(best_near >> kPlaceBits);
  if (!far_ready_.empty() && far_ready_.front().node < near) {
    const Waiting best = pop(far_ready_, kByPriority);
    return {best.node, best.duration, now};
  }
  if (near != kNone) {
    const double duration = duration_[place];
    remove(place, true);
    return {near, duration, now};
  }
  return {kNone, 0,
          far_coming_.empty() ? soonest_near : std::min(soonest_near, far_coming_.front().arrival)};
}

}  // namespace berth
