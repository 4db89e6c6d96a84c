#include "berth/place/list/timeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/random.h"
#include "tests/support/effort.h"

using namespace berth;

namespace {

Duration book(Timeline& timeline, double ready, double length) {
  const Timeline::Slot slot = timeline.find(Duration{ready}, Duration{length});
  timeline.occupy(slot, Duration{length});
  return slot.start;
}

// The same by definition: walk all runs in order.
class Runs {
 public:
  double book(double ready, double length) {
    double start = ready;
    for (const auto& [begin, end] : runs_) {
      if (start + length <= begin) break;
      start = std::max(start, end);
    }
    runs_.emplace_back(start, start + length);
    std::sort(runs_.begin(), runs_.end());
    return start;
  }

 private:
  std::vector<std::pair<double, double>> runs_;
};

}  // namespace

TEST_CASE("a run goes into the earliest gap that is long enough") {
  Timeline timeline;
  CHECK(book(timeline, 0, 2) == Duration{0});    // [0,2)
  CHECK(book(timeline, 5, 5) == Duration{5});    // [5,10), gap [2,5)
  CHECK(book(timeline, 0, 4) == Duration{10});   // 4 does not fit into [2,5)
  CHECK(book(timeline, 1, 3) == Duration{2});    // 3 does, exactly
  CHECK(book(timeline, 0, 1) == Duration{14});   // no gap is left
  CHECK(book(timeline, 20, 1) == Duration{20});  // not before it is ready
}

TEST_CASE("a run without length fits between two that touch, but not inside one") {
  Timeline timeline;
  book(timeline, 0, 4);
  book(timeline, 4, 4);
  CHECK(book(timeline, 1, 0) == Duration{4});
  CHECK(book(timeline, 5, 0) == Duration{8});
  CHECK(book(timeline, 20, 0) == Duration{20});
  CHECK(book(timeline, 18, 4) == Duration{20});  // the run at 20 may not be run over
}

TEST_CASE("thousands of random bookings agree with a walk over all runs") {
  Rng rng(3);
  for (int round = 0; round < effort(12); ++round) {
    CAPTURE(round);
    Timeline timeline;
    Runs runs;
    const bool integers = round % 2 == 0;
    for (int i = 0; i < 1500; ++i) {
      double ready = rng.uniform() * 5000, length = rng.exponential() * 3;
      if (integers)
        ready = static_cast<double>(rng.below(5000)), length = static_cast<double>(rng.below(6));
      REQUIRE(book(timeline, ready, length).count() == runs.book(ready, length));
    }
  }
}
