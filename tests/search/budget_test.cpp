#include "berth/search/budget.h"

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("a budget without limits is never spent") {
  Budget budget;
  budget.count(1000000);
  CHECK_FALSE(budget.spent());
  CHECK(budget.evaluations() == 1000000);
  CHECK(budget.fraction() == 0);
  CHECK_FALSE(budget.seconds_left());
}

TEST_CASE("a budget of evaluations is spent when they are counted") {
  Budget budget({.seconds = std::nullopt, .evaluations = 10});
  budget.count(4);
  CHECK_FALSE(budget.spent());
  CHECK(budget.fraction() == doctest::Approx(0.4));
  budget.count(6);
  CHECK(budget.spent());
  CHECK(budget.fraction() == doctest::Approx(1));
  budget.count(5);
  CHECK(budget.fraction() == doctest::Approx(1));
}

TEST_CASE("a time limit of zero is spent at once, a long one is not") {
  CHECK(Budget({.seconds = 0.0, .evaluations = std::nullopt}).spent());
  const Budget day({.seconds = 86400.0, .evaluations = std::nullopt});
  CHECK_FALSE(day.spent());
  REQUIRE(day.seconds_left());
  CHECK(*day.seconds_left() > 86000);
}

TEST_CASE("a stop flag ends any budget") {
  std::atomic<bool> stop{false};
  const Budget budget({}, &stop);
  CHECK_FALSE(budget.spent());
  stop = true;
  CHECK(budget.spent());
  CHECK(budget.stopped());
}

TEST_CASE("a part ends no later than the whole") {
  std::atomic<bool> stop{false};
  Budget whole({.seconds = std::nullopt, .evaluations = 100}, &stop);
  whole.count(60);
  Budget small = whole.part({.seconds = std::nullopt, .evaluations = 5});
  small.count(5);
  CHECK(small.spent());
  CHECK_FALSE(whole.spent());
  Budget part = whole.part({.seconds = std::nullopt, .evaluations = 50});
  part.count(34);
  CHECK_FALSE(part.spent());
  CHECK(part.evaluations_left() == 1);  // 60 + 5 + 34 of 100
  part.count();
  CHECK(part.spent());
  CHECK(whole.spent());
  Budget unlimited;
  Budget rest = unlimited.part({});
  CHECK_FALSE(rest.spent());
  Budget stoppable({}, &stop);
  Budget stopped = stoppable.part({});
  CHECK_FALSE(stopped.spent());
  stop = true;
  CHECK(stopped.spent());
}

TEST_CASE("what a part counts, its whole counts, from any thread") {
  Budget whole;
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < 4; ++i)
      pool.emplace_back([&whole] {
        Budget part = whole.part({});
        for (int j = 0; j < 1000; ++j) part.share(0.5).count();
        CHECK(part.evaluations() == 1000);
      });
  }
  CHECK(whole.evaluations() == 4000);
}

TEST_CASE("progress reaches the callback") {
  std::vector<Progress> seen;
  const Budget budget({}, nullptr, [&](const Progress& progress) { seen.push_back(progress); });
  Progress progress;
  progress.phase = "anneal";
  progress.best = Duration{4};
  budget.report(progress);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].phase == "anneal");
  CHECK(seen[0].best == Duration{4});
  Budget().report(progress);  // nobody listens: nothing happens
}
