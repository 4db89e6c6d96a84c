#include "berth/sim/ready_pool.h"

#include <vector>

#include <doctest/doctest.h>

#include "berth/base/random.h"

namespace berth {
namespace {

struct Waiting {
  std::uint32_t node;
  double arrival;
};

// The rule of the header, read literally.
ReadyPool::Next take_literally(std::vector<Waiting>& waiting, double now) {
  ReadyPool::Next next;
  std::size_t best = waiting.size();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    next.soonest = std::min(next.soonest, event_time(waiting[i].arrival));
    if (waiting[i].arrival <= now &&
        (best == waiting.size() || waiting[i].node < waiting[best].node))
      best = i;
  }
  if (best == waiting.size()) return next;
  next.node = waiting[best].node;
  next.duration = 0.5 * next.node;
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(best));
  return next;
}

TEST_CASE("a pool gives what a list searched from end to end gives, however many nodes wait") {
  for (const std::uint32_t crowd : {2U, 6U, 12U, 60U}) {
    Rng rng(crowd);
    ReadyPool pool;
    std::vector<Waiting> waiting;
    double now = 0;
    std::uint32_t number = 0;
    for (int step = 0; step < 20000; ++step) {
      // Numbers rise slowly and arrivals repeat, so that priority and time disagree.
      const bool wanted = waiting.size() < crowd && rng.below(3) != 0;
      const double arrival = now + static_cast<double>(rng.below(2) * rng.below(12));
      const std::uint32_t node = number++ ^ 5U;
      pool.add_if(wanted, node, 0.5 * node, event_time(arrival), event_time(now));
      if (wanted) waiting.push_back({node, arrival});
      if (rng.below(2) == 0) now += static_cast<double>(rng.below(3));
      if (waiting.size() < crowd && rng.below(2) == 0) continue;
      const ReadyPool::Next expected = take_literally(waiting, now);
      const ReadyPool::Next next = pool.take(event_time(now));
      REQUIRE(next.node == expected.node);
      if (next.node == ReadyPool::kNone)
        REQUIRE(next.soonest == expected.soonest);
      else
        REQUIRE(next.duration == expected.duration);
    }
  }
}

TEST_CASE("a cleared pool is empty, even after it overflowed") {
  ReadyPool pool;
  for (std::uint32_t node = 0; node < 40; ++node)
    pool.add_if(true, node, 1, event_time(0), event_time(0));
  pool.clear();
  const ReadyPool::Next next = pool.take(event_time(1e9));
  CHECK(next.node == ReadyPool::kNone);
  CHECK(next.soonest == ReadyPool::kNever);
}

}  // namespace
}  // namespace berth
