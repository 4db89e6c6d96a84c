// What every registered placer must satisfy, on every small problem.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/runnable.h"

using namespace berth;

namespace {

// Enough for every method to do its work, little enough for slow builds. A training shows in a few
// updates whether it answers, and takes longest for each of them.
constexpr std::uint64_t kEvaluations = effort(300);
std::uint64_t evaluations_for(const PlacerEntry& entry) {
  return entry.traits.growth == Growth::kTraining ? kEvaluations / 4 : kEvaluations;
}

Budget steps(std::uint64_t evaluations) {
  return Budget({.seconds = std::nullopt, .evaluations = evaluations});
}

Result run(const PlacerEntry& entry, const Problem& problem, std::uint64_t seed,
           std::uint64_t evaluations) {
  Budget budget = steps(evaluations);
  return run_placer(entry.name, problem, seed, budget);
}
Result run(const PlacerEntry& entry, const Problem& problem, std::uint64_t seed) {
  return run(entry, problem, seed, evaluations_for(entry));
}

void check_answer(const Problem& problem, const Result& result) {
  REQUIRE(result.placement.has_value() != !result.reason.empty());
  if (!result.placement) return;
  const Simulation simulation = simulate(problem, *result.placement);
  REQUIRE_FALSE(simulation.broken);
  if (result.lower_bound) {
    REQUIRE(*result.lower_bound <= simulation.value * (1 + 1e-9));
    REQUIRE(result.gap().value_or(0) >= 0);
  }
}

// Calls check(entry, problem) for every pair, with both names in the message of a failure.
template <class Check>
void for_every_pair(const Check& check) {
  for (const PlacerEntry& entry : runnable_placers())
    for (const Problem& problem : fixtures::small_problems()) {
      CAPTURE(std::string(entry.name));
      CAPTURE(problem.name());
      check(entry, problem);
    }
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("names are unique, found by name, and have a summary") {
  REQUIRE(placers().size() > 0);
  std::vector<std::string> seen;
  for (const PlacerEntry& entry : placers()) {
    CAPTURE(std::string(entry.name));
    CHECK(std::find(seen.begin(), seen.end(), entry.name) == seen.end());
    seen.push_back(entry.name);
    CHECK(&find_placer(entry.name) == &entry);
    CHECK_FALSE(std::string(entry.summary).empty());
    for (const char c : std::string(entry.name)) CHECK(((c >= 'a' && c <= 'z') || c == '-'));
  }
}

TEST_CASE("a placer that needs an option says which one when it gets none") {
  for (const PlacerEntry& entry : placers()) {
    if (!entry.traits.needs_options) continue;
    CAPTURE(std::string(entry.name));
    REQUIRE_FALSE(entry.options().empty());
    CHECK_THROWS_WITH_AS(make_method(entry.name),
                         doctest::Contains(entry.options().front().key.c_str()), Error);
  }
}

TEST_CASE("an unknown name is an error that offers the nearest one") {
  CHECK_THROWS_WITH_AS(find_placer("single-devise"), doctest::Contains("single-device"), Error);
  CHECK_THROWS_AS(make_method("no-such-method"), Error);
}

TEST_CASE("every option is explained, and its default reads back") {
  for (const PlacerEntry& entry : placers())
    for (const OptionHelp& option : entry.options()) {
      CAPTURE(std::string(entry.name));
      CAPTURE(option.key);
      CHECK_FALSE(option.key.empty());
      CHECK(option.meaning.size() > 5);
      const std::string spec = fmt::format("{}({}={})", entry.name, option.key, option.value);
      CHECK(entry.canonical(parse_spec(spec)) == fmt::format("{}()", entry.name));
    }
}

TEST_CASE("canonical specs read back to themselves") {
  for (const PlacerEntry& entry : placers()) {
    CAPTURE(std::string(entry.name));
    const std::string canonical = entry.canonical(parse_spec(entry.name));
    CHECK(canonical == fmt::format("{}()", entry.name));
    CHECK(find_placer(entry.name).canonical(parse_spec(canonical)) == canonical);
    CHECK_THROWS_AS(make_method(fmt::format("{}(no_such_option=1)", entry.name)), Error);
  }
}

TEST_CASE("every placer answers every small problem: feasible, or with a reason") {
  for_every_pair([](const PlacerEntry& entry, const Problem& problem) {
    const Result result = run(entry, problem, 7);
    check_answer(problem, result);
    CHECK(result.method == entry.name);
    CHECK(result.seed == 7);
  });
}

TEST_CASE("the same seed gives the same outcome, to the last byte") {
  for_every_pair([](const PlacerEntry& entry, const Problem& problem) {
    const auto outcome = [&] {
      Budget budget = steps(evaluations_for(entry));
      Rng rng(7);
      return run_method(entry.name, problem, budget, rng);
    };
    REQUIRE(outcome() == outcome());
    const Result first = run(entry, problem, 7), second = run(entry, problem, 7);
    REQUIRE(first.placement == second.placement);
    REQUIRE(first.lower_bound == second.lower_bound);
    REQUIRE(first.evaluations == second.evaluations);
    REQUIRE(first.reason == second.reason);
    REQUIRE(first.warnings == second.warnings);
  });
}

TEST_CASE("the number of threads does not change what a search finds") {
  for (const PlacerEntry& entry : placers())
    for (const OptionHelp& option : entry.options()) {
      if (option.key != "threads") continue;
      CAPTURE(std::string(entry.name));
      for (const Problem& problem : fixtures::small_problems()) {
        CAPTURE(problem.name());
        const auto on = [&](int threads) {
          Budget budget = steps(kEvaluations);
          const std::string spec = fmt::format("{}(threads={})", entry.name, threads);
          return run_placer(spec, problem, 5, budget).placement;
        };
        REQUIRE(on(1) == on(3));
      }
    }
}

TEST_CASE("another seed is as feasible") {
  for_every_pair([](const PlacerEntry& entry, const Problem& problem) {
    for (const std::uint64_t seed : {1, 8}) check_answer(problem, run(entry, problem, seed));
  });
}

TEST_CASE("a budget of evaluations is kept, but for the first answer") {
  // Looking at every device once, and starting from what every other method says, is not cut short.
  for_every_pair([](const PlacerEntry& entry, const Problem& problem) {
    const std::uint64_t first_answer = problem.device_count() + placers().size();
    for (const std::uint64_t evaluations : {1, 40}) {
      const Result result = run(entry, problem, 1, evaluations);
      check_answer(problem, result);
      CHECK(result.evaluations <= evaluations + first_answer);
    }
  });
}

TEST_CASE("a stop flag that is already set ends every placer at once") {
  const std::atomic<bool> stop{true};
  for_every_pair([&](const PlacerEntry& entry, const Problem& problem) {
    Budget budget({}, &stop);
    Result result;
    const double seconds = seconds_of([&] { result = run_placer(entry.name, problem, 1, budget); });
    check_answer(problem, result);
    CHECK(seconds < 2);
  });
}

TEST_CASE("a time limit of zero ends every placer at once") {
  for_every_pair([](const PlacerEntry& entry, const Problem& problem) {
    Budget budget({.seconds = 0.0, .evaluations = std::nullopt});
    Result result;
    const double seconds = seconds_of([&] { result = run_placer(entry.name, problem, 1, budget); });
    check_answer(problem, result);
    CHECK(seconds < 2);
  });
}

TEST_CASE("pins, forbids, together and apart are honoured by whoever finds a placement") {
  using Numbers = std::vector<int>;
  const auto devices = [](const PlacerEntry& entry, const char* name) -> std::optional<Numbers> {
    const Result result = run(entry, fixtures::small_problem(name), 3);
    if (!result.placement) return std::nullopt;
    Numbers numbers;
    for (const DeviceId device : result.placement->device_of)
      numbers.push_back(static_cast<int>(device));
    return numbers;
  };
  int answered = 0;
  for (const PlacerEntry& entry : runnable_placers()) {
    CAPTURE(std::string(entry.name));
    if (const auto d = devices(entry, "pinned")) {
      ++answered;
      CHECK((*d)[1] == 0);
      CHECK((*d)[3] == 1);
    }
    if (const auto d = devices(entry, "forbidden")) {
      ++answered;
      CHECK((*d)[2] == 0);
      CHECK((*d)[0] == 1);
    }
    if (const auto d = devices(entry, "together")) {
      ++answered;
      CHECK((*d)[0] == (*d)[2]);
    }
    if (const auto d = devices(entry, "apart")) {
      ++answered;
      CHECK((*d)[0] != (*d)[4]);
      CHECK(((*d)[1] != (*d)[2] && (*d)[2] != (*d)[3] && (*d)[1] != (*d)[3]));
    }
    if (const auto d = devices(entry, "colocation-across-passes")) {
      ++answered;
      CHECK(((*d)[0] == (*d)[5] && (*d)[1] == (*d)[4] && (*d)[2] == (*d)[3]));
    }
  }
  CHECK(answered > 3 * static_cast<int>(runnable_placers().size()));
}

TEST_CASE("auto finds a placement of every small problem that has one, and says so of the others") {
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    Evaluator evaluator(problem);
    const BruteForce best = brute_force(problem, [&](const Placement& placement) {
      const Score score = evaluator(placement);
      return score.feasible() ? std::optional(score.value.count()) : std::nullopt;
    });
    const Result result = run(find_placer("auto"), problem, 1, 2000);
    CHECK(result.placement.has_value() == best.best.has_value());
    if (result.placement && best.best)
      CHECK(result.simulation->value.count() <= *best.best * (1 + 1e-9));
  }
}

TEST_CASE("a node that no device runs is named by every placer") {
  const Problem& chain = fixtures::small_problem("chain");
  Costs costs = chain.costs();
  for (const DeviceId device : chain.devices()) costs.times.set(NodeId{2}, device, kForever);
  const Problem stuck("stuck", chain.graph(), chain.cluster(), costs);
  for (const PlacerEntry& entry : runnable_placers()) {
    CAPTURE(std::string(entry.name));
    const Result result = run(entry, stuck, 1);
    CHECK_FALSE(result.placement);
    CHECK(result.reason.find("'c'") != std::string::npos);
  }
}
