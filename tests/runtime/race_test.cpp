#include "berth/runtime/race.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace berth;

namespace {

// Says how long it took without taking any time, and keeps a diary.
class FakeExecutor final : public Executor {
 public:
  FakeExecutor(std::string name, double micros, std::vector<std::string>& diary)
      : name_(std::move(name)), micros_(micros), diary_(diary) {}
  const std::vector<RunningPiece>& pieces() const override { return pieces_; }
  Duration run_once() override {
    diary_.push_back(name_ + " once");
    return Duration{micros_ + ++calls_};
  }
  Duration run_many(int samples, int in_flight, int) override {
    diary_.push_back(name_ + " " + std::to_string(samples) + "/" + std::to_string(in_flight));
    return Duration{micros_ * samples / in_flight};
  }
  std::vector<Array> outputs() const override { return {}; }
  std::vector<PieceSpan> piece_spans() const override { return {}; }

 private:
  std::string name_;
  double micros_;
  int calls_ = 0;
  std::vector<std::string>& diary_;
  std::vector<RunningPiece> pieces_;
};

}  // namespace

TEST_CASE("competitors take turns, after one warm-up each") {
  std::vector<std::string> diary;
  FakeExecutor slow("slow", 100, diary), fast("fast", 50, diary);
  const std::vector<Competitor> both{{"slow", &slow, &slow, 2}, {"fast", &fast, nullptr, 1}};
  const std::vector<RaceTime> times = race(both, {.rounds = 2, .requests_per_slot = 3});
  CHECK(diary == std::vector<std::string>{"slow once", "slow 2/2", "fast once",  //
                                          "slow once", "slow 6/2", "fast once",  //
                                          "slow once", "slow 6/2", "fast once"});
  // The warm-up (101) does not count: the median of 102 and 103.
  CHECK(times[0].latency.median == Duration{102.5});
  CHECK(times[0].period.median == Duration{50});  // 300 per burst of 6
  CHECK(times[1].latency.median == Duration{52.5});
  CHECK(times[1].period.samples == 0);
}

TEST_CASE("errors are relative to the largest magnitude of the output") {
  const std::vector<Array> expected{{"a", {3}, {100, 1, 0}}, {"b", {1}, {0.5}}};
  CHECK(relative_error(expected, expected) == 0);
  CHECK(relative_error({{"a", {3}, {100, 1.5, 0}}, {"b", {1}, {0.5}}}, expected) ==
        doctest::Approx(0.005));
  CHECK(relative_error({{"a", {3}, {100, 1, 0}}, {"b", {1}, {0.4}}}, expected) ==
        doctest::Approx(0.2));
}

TEST_CASE("another shape, a missing output or not a number is no match at all") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::vector<Array> expected{{"a", {2}, {1, nan}}};
  CHECK(relative_error({{"a", {2}, {1, nan}}}, expected) == 0);
  CHECK(relative_error({{"a", {2}, {1, 2}}}, expected) == inf);
  CHECK(relative_error({{"a", {2}, {1, inf}}}, expected) == inf);
  CHECK(relative_error({{"a", {1, 2}, {1, nan}}}, expected) == inf);
  CHECK(relative_error({{"b", {2}, {1, nan}}}, expected) == inf);
  CHECK(relative_error({}, expected) == inf);
  CHECK(relative_error({{"z", {1}, {1e-9}}}, {{"z", {1}, {0}}}) == inf);
}
