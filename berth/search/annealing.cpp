#include "berth/search/annealing.h"

#include <algorithm>
#include <mutex>

#include "berth/base/error.h"
#include "berth/base/parallel.h"
#include "berth/search/annealing_chain.h"

namespace berth {
namespace {

// The temperature of a chain that falls geometrically over its evaluations or seconds.
struct Cooling {
  double hot = 0, cold = 0;       // first and last temperature
  std::optional<double> seconds;  // of each chain
  const Budget& budget;           // for the stop flag

  std::function<std::optional<double>(double)> from_now() const {
    return [*this, begin = std::chrono::steady_clock::now()](double done) -> std::optional<double> {
      if (seconds) {
        const double spent =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        done = std::max(done, *seconds > 0 ? spent / *seconds : 1.0);
      }
      if (done >= 1 || budget.stopped()) return std::nullopt;
      return hot * std::pow(cold / hot, done);
    };
  }
};

}  // namespace

std::uint64_t usual_annealing_steps(const Problem& problem) {
  const double size = static_cast<double>(problem.node_count() + problem.graph().edge_count());
  const double passes = 2e8 / passes_per_evaluation(problem.model());
  return static_cast<std::uint64_t>(std::clamp(passes / size, 2e3, 4e5));
}

Placement anneal_from(const Problem& problem, const std::vector<Seed>& seeds, Duration least,
                      const AnnealingOptions& options, Budget& budget, const Rng& rng) {
  if (options.chains < 1) throw Error("anneal(chains=...): at least 1 is expected");
  if (options.rounds < 1) throw Error("anneal(rounds=...): at least 1 is expected");
  if (!(options.hot > 0) || !(options.cold > 0))
    throw Error("anneal(hot=...,cold=...): temperatures above 0 are expected");
  const std::size_t chains = static_cast<std::size_t>(options.chains);
  const std::size_t threads = std::min(chains, thread_count(options.threads));
  const std::optional<RegionMoves> regions = region_moves(problem);

  std::uint64_t steps = options.steps > 0 ? static_cast<std::uint64_t>(options.steps)
                                          : usual_annealing_steps(problem);
  const std::optional<double> seconds = budget.seconds_left();
  if (seconds && options.steps <= 0) steps = std::uint64_t{1} << 60;  // the clock decides
  if (const auto left = budget.evaluations_left()) steps = std::min(steps, *left);
  const std::size_t waves = (chains + threads - 1) / threads;

  std::mutex reporting;
  Score best_reported = seeds.front().score;
  const auto improved = [&](const UnitDevices&, const Score& score) {
    const std::lock_guard lock(reporting);
    if (!score.feasible() || !(score < best_reported)) return;
    best_reported = score;
    budget.report({.phase = "anneal", .best = score.value, .bound = {}});
  };
  const double floor = least.count() * (1 + 1e-9);
  const UnitDevices& start = *seeds.front().units;
  AnnealingChain::End best{start, start, Evaluator(problem)(from_units(problem, start)), 1};
  Cooling cooling{.cold = options.cold, .seconds = {}, .budget = budget};
  const std::uint64_t allowance = steps / (chains * static_cast<std::size_t>(options.rounds));
  for (int round = 0; round < options.rounds && allowance > 0 && (round == 0 || !budget.spent()) &&
                      !best.is_at(floor);
       ++round) {
    cooling.hot = std::max(options.cold, options.hot * std::pow(0.25, round));
    // What is left of the time, for the rounds that are left and the chains that share a core.
    cooling.seconds = budget.seconds_left();
    if (cooling.seconds)
      *cooling.seconds /=
          static_cast<double>(static_cast<std::size_t>(options.rounds - round) * waves);
    std::vector<AnnealingChain::End> results(chains);
    for_each_item(chains, threads, [&]() -> ItemWorker {
      return [&](std::size_t i) {
        const std::size_t which = i % 2 == 0 ? 0 : (i / 2 + 1) % seeds.size();
        const AnnealingChain chain{.problem = problem,
                                   .regions = regions ? &*regions : nullptr,
                                   .allowance = allowance,
                                   .floor = floor,
                                   .temperature = cooling.from_now(),
                                   .improved = improved};
        results[i] = chain.run(round == 0 ? *seeds[which].units : best.best,
                               rng.split(static_cast<std::uint64_t>(round) * chains + i));
      };
    });
    for (const AnnealingChain::End& result : results) {
      budget.count(result.evaluations);
      if (result.score < best.score) best = result;
    }
  }
  return from_units(problem, best.best);
}

}  // namespace berth
