#include "berth/search/annealing.h"

#include <algorithm>
#include <mutex>

#include "berth/base/error.h"
#include "berth/base/parallel.h"
#include "berth/search/region_moves.h"

namespace berth {
namespace {

using Change = SearchState::Change;

constexpr double kRegionShare = 0.6;  // of the draws, where regions are what moves

struct Chain {
  const Problem& problem;
  const RegionMoves* regions;     // execution in pieces; else null
  double hot = 0, cold = 0;       // first and last temperature
  std::uint64_t allowance;        // evaluations
  std::optional<double> seconds;  // of each chain
  double floor;                   // microseconds: no placement is better, a chain there is done
  const Budget& budget;           // for the stop flag and the outer limits
  std::function<void(const Score&)> improved;
};

struct ChainResult {
  UnitDevices best;
  Score score;
  std::uint64_t evaluations = 0;
  bool is_at(double floor) const { return score.feasible() && score.value.count() <= floor; }
};

class Mover {
 public:
  Mover(const Problem& problem, const RegionMoves* regions)
      : problem_(problem), units_(unit_graph(problem)), regions_(regions) {}

  // A random change of the state; empty when the draw is not allowed.
  std::span<const Change> draw(const SearchState& state, Rng& rng) {
    changes_.clear();
    if (regions_ != nullptr && rng.uniform() < kRegionShare) {
      regions_->draw(state, rng, changes_);
      return changes_;
    }
    const UnitId unit = draw_unit(state, rng);
    const DeviceId home = state.device_of(unit);
    const DeviceId target = draw_target(state, unit, rng);
    if (target == home || !state.may_move(unit, target)) return {};
    changes_.push_back({unit, target});
    const double kind = rng.uniform();
    if (kind < 0.25)
      grow(state, home, target, 1 + rng.below(rng.uniform() < 0.2 ? 40 : 6), rng);
    else if (kind < 0.35)
      add_swap(state, home, target, rng);
    return changes_;
  }

 private:
  UnitId draw_unit(const SearchState& state, Rng& rng) {
    const auto any = [&] { return static_cast<UnitId>(rng.below(problem_.unit_count())); };
    UnitId unit = any();
    if (problem_.objective() != Objective::kThroughput || rng.uniform() < 0.5) return unit;
    if (draws_++ % 64 == 0) busiest_ = busiest_device(state);  // O(V): not for every draw
    for (int i = 0; i < 8 && state.device_of(unit) != busiest_; ++i) unit = any();
    return unit;
  }

  DeviceId busiest_device(const SearchState& state) const {
    std::vector<double> load(problem_.device_count(), 0.0);
    for (const UnitId unit : problem_.units()) {
      const DeviceId device = state.device_of(unit);
      load[index(device)] += units_.time(unit, device);
    }
    return static_cast<DeviceId>(std::ranges::max_element(load) - load.begin());
  }

  DeviceId draw_target(const SearchState& state, UnitId unit, Rng& rng) const {
    const std::span<const UnitId> near = units_.neighbours(unit);
    if (!near.empty() && rng.uniform() < 0.6) return state.device_of(near[rng.below(near.size())]);
    return static_cast<DeviceId>(rng.below(problem_.device_count()));
  }

  // Neighbours of what moves already that sit on its device, up to `more` of them.
  void grow(const SearchState& state, DeviceId home, DeviceId target, std::size_t more, Rng& rng) {
    for (std::size_t at = 0; at < changes_.size() && more > 0; ++at) {
      const std::span<const UnitId> near = units_.neighbours(changes_[at].unit);
      if (near.empty()) continue;
      const std::size_t offset = rng.below(near.size());
      const std::size_t tries = std::min<std::size_t>(near.size(), 16);
      for (std::size_t i = 0; i < tries && more > 0; ++i) {
        const UnitId other = near[(offset + i) % near.size()];
        if (state.device_of(other) != home || !state.may_move(other, target) || moves(other))
          continue;
        changes_.push_back({other, target});
        --more;
      }
    }
  }

  bool moves(UnitId unit) const {
    return std::ranges::find(changes_, unit, &Change::unit) != changes_.end();
  }

  void add_swap(const SearchState& state, DeviceId home, DeviceId target, Rng& rng) {
    for (int i = 0; i < 8; ++i) {
      const UnitId other = static_cast<UnitId>(rng.below(problem_.unit_count()));
      if (state.device_of(other) != target || !state.may_move(other, home)) continue;
      changes_.push_back({other, home});
      return;
    }
  }

  const Problem& problem_;
  const UnitGraph& units_;
  const RegionMoves* regions_;
  std::vector<Change> changes_;
  DeviceId busiest_{0};
  std::uint64_t draws_ = 0;
};

// Two moves of one draw may put units together that must be apart.
bool keeps_apart(const Problem& problem, const SearchState& state) {
  for (const std::vector<UnitId>& set : problem.apart())
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = i + 1; j < set.size(); ++j)
        if (state.device_of(set[i]) == state.device_of(set[j])) return false;
  return true;
}

ChainResult run_chain(const Chain& chain, const UnitDevices& start, Rng rng) {
  SearchState state(chain.problem, start);
  ChainResult result{start, state.score(), 1};
  Mover mover(chain.problem, chain.regions);
  const double scale = state.energy() > 0 ? state.energy() : 1.0;
  const auto begin = std::chrono::steady_clock::now();
  double temperature = chain.hot;
  constexpr std::uint64_t kCheckEvery = 64;
  for (std::uint64_t step = 0; result.evaluations < chain.allowance && !result.is_at(chain.floor);
       ++step) {
    if (step % kCheckEvery == 0) {
      double done = static_cast<double>(result.evaluations) / static_cast<double>(chain.allowance);
      if (chain.seconds) {
        const double spent =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        done = std::max(done, *chain.seconds > 0 ? spent / *chain.seconds : 1.0);
      }
      if (done >= 1 || chain.budget.stopped() || step > 100 * chain.allowance) break;
      temperature = chain.hot * std::pow(chain.cold / chain.hot, done);
    }
    const double before = state.energy();
    const std::span<const Change> changes = mover.draw(state, rng);
    if (changes.empty()) continue;
    state.apply(changes);
    ++result.evaluations;
    const double rise = (state.energy() - before) / scale;
    const bool keep = (rise <= 0 || rng.uniform() < std::exp(-rise / temperature)) &&
                      (changes.size() == 1 || keeps_apart(chain.problem, state));
    if (!keep) {
      state.undo();
    } else if (state.score() < result.score) {
      result.best = state.devices();
      result.score = state.score();
      chain.improved(result.score);
    }
  }
  return result;
}

// About two seconds of one core on a mid-sized graph; small graphs are searched thoroughly.
std::uint64_t steps_for(const Problem& problem, const AnnealingOptions& options) {
  if (options.steps > 0) return static_cast<std::uint64_t>(options.steps);
  const double size = static_cast<double>(problem.node_count() + problem.graph().edge_count());
  const double passes = 2e8 / passes_per_evaluation(problem.model());
  return static_cast<std::uint64_t>(std::clamp(passes / size, 2e3, 4e5));
}

}  // namespace

Placement anneal_from(const Problem& problem, const std::vector<Seed>& seeds, Duration least,
                      const AnnealingOptions& options, Budget& budget, const Rng& rng) {
  if (options.chains < 1) throw Error("anneal(chains=...): at least 1 is expected");
  if (options.rounds < 1) throw Error("anneal(rounds=...): at least 1 is expected");
  if (!(options.hot > 0) || !(options.cold > 0))
    throw Error("anneal(hot=...,cold=...): temperatures above 0 are expected");
  const std::size_t chains = static_cast<std::size_t>(options.chains);
  const std::size_t threads = std::min(chains, thread_count(options.threads));
  const std::optional<RegionMoves> regions = region_moves(problem);

  std::uint64_t steps = steps_for(problem, options);
  const std::optional<double> seconds = budget.seconds_left();
  if (seconds && options.steps <= 0) steps = std::uint64_t{1} << 60;  // the clock decides
  if (const auto left = budget.evaluations_left()) steps = std::min(steps, *left);
  const std::size_t waves = (chains + threads - 1) / threads;

  std::mutex reporting;
  Score best_reported = seeds.front().score;
  const auto improved = [&](const Score& score) {
    const std::lock_guard lock(reporting);
    if (!score.feasible() || !(score < best_reported)) return;
    best_reported = score;
    budget.report({.phase = "anneal", .best = score.value, .bound = {}});
  };
  const double floor = least.count() * (1 + 1e-9);
  const UnitDevices& start = *seeds.front().units;
  ChainResult best{start, Evaluator(problem)(from_units(problem, start)), 1};
  Chain chain{.problem = problem,
              .regions = regions ? &*regions : nullptr,
              .cold = options.cold,
              .allowance = steps / (chains * static_cast<std::size_t>(options.rounds)),
              .floor = floor,
              .budget = budget,
              .improved = improved};
  for (int round = 0; round < options.rounds && chain.allowance > 0 &&
                      (round == 0 || !budget.spent()) && !best.is_at(floor);
       ++round) {
    chain.hot = std::max(options.cold, options.hot * std::pow(0.25, round));
    // What is left of the time, for the rounds that are left and the chains that share a core.
    chain.seconds = budget.seconds_left();
    if (chain.seconds)
      *chain.seconds /=
          static_cast<double>(static_cast<std::size_t>(options.rounds - round) * waves);
    std::vector<ChainResult> results(chains);
    for_each_item(chains, threads, [&]() -> ItemWorker {
      return [&](std::size_t i) {
        const std::size_t which = i % 2 == 0 ? 0 : (i / 2 + 1) % seeds.size();
        results[i] = run_chain(chain, round == 0 ? *seeds[which].units : best.best,
                               rng.split(static_cast<std::uint64_t>(round) * chains + i));
      };
    });
    for (const ChainResult& result : results) {
      budget.count(result.evaluations);
      if (result.score < best.score) best = result;
    }
  }
  return from_units(problem, best.best);
}

}  // namespace berth
