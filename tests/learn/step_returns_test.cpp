#include "berth/learn/step_returns.h"

#include <doctest/doctest.h>

namespace berth {
namespace {

TEST_CASE("a cost is relative to the reference, and grows with what does not fit") {
  CHECK(relative_cost({Duration{6}, 0}, Duration{4}) == doctest::Approx(1.5));
  CHECK(relative_cost({Duration{6}, 0.25}, Duration{4}) == doctest::Approx(1.5 + 1 + 1));
  CHECK(relative_cost({Duration{6}, 0.5}, Duration{4}) == doctest::Approx(1.5 + 1 + 2));
  CHECK(relative_cost({kForever, 0}, Duration{4}) == doctest::Approx(100));
}

// Costs 5, 3, 4, 1: rewards 2, -1, 3. With gamma 1/2 the last return is 3, before it -1 + 1.5, and
// 2 + 0.25 at first.
TEST_CASE("returns are discounted sums of what each step has gained") {
  const std::vector<double> costs{5, 3, 4, 1};
  CHECK(step_returns(costs, 0.5) == std::vector<double>{2.25, 0.5, 3});
  CHECK(step_returns(costs, 0) == std::vector<double>{2, -1, 3});
  CHECK(step_returns(costs, 1).front() == costs.front() - costs.back());
  CHECK(step_returns(std::vector<double>{5}, 1).empty());
}

// The first two episodes return (1, 2) and (3, 4): means 2 and 3. Nine more of (5, 5) push the
// first one out: (3 + 9 * 5) / 10 = 4.8 and (4 + 9 * 5) / 10 = 4.9.
TEST_CASE("an advantage is a return against the last ten episodes at the same step") {
  StepBaseline baseline;
  CHECK(baseline.advantages({{1, 2}, {3, 4}}) ==
        std::vector<std::vector<double>>{{-1, -1}, {1, 1}});
  const std::vector<std::vector<double>> nine(9, {5, 5});
  Archive archive;
  baseline.save(archive);
  StepBaseline restored;
  restored.load(archive);
  for (StepBaseline* each : {&baseline, &restored}) {
    const std::vector<double> advantage = each->advantages(nine).back();
    CHECK(advantage[0] == doctest::Approx(0.2));
    CHECK(advantage[1] == doctest::Approx(0.1));
  }
}

TEST_CASE("more than ten episodes of one update are all compared, short ones where they reach") {
  StepBaseline baseline;
  std::vector<std::vector<double>> returns;
  for (int i = 0; i < 12; ++i) returns.push_back({static_cast<double>(i)});  // mean 5.5
  CHECK(baseline.advantages(returns).front().front() == doctest::Approx(-5.5));
  // The last nine of these and one with two steps; at the second step it is alone.
  const std::vector<double> advantage = baseline.advantages({{10, 7}}).front();
  CHECK(advantage[0] == doctest::Approx(10 - (3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 10) / 10.0));
  CHECK(advantage[1] == 0);
}

}  // namespace
}  // namespace berth
