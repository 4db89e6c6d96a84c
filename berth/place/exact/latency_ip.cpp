#include "berth/place/exact/latency_ip.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/place/bounds.h"
#include "berth/place/exact/latency_bound.h"
#include "berth/place/exact/latency_program.h"
#include "berth/place/heuristic/anneal.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

// Programs up to about this many variables have closed gaps that the game left.
constexpr std::size_t kPromisingSize = 10000;

// The best placement so far and the best bound.
struct State {
  Placement best;
  Score score;
  Duration bound{0};
  bool proven(double gap) const { return score.value.count() <= bound.count() * (1 + gap); }
  bool take(const Problem& problem, const Placement& placement) {
    const Score found = Evaluator(problem)(placement);
    if (!(found < score) || broken_rule(problem, placement)) return false;
    best = placement;
    score = found;
    return true;
  }
};

Problem with_pieces(const Problem& problem, int pieces) {
  ExecutionModel model = problem.model();
  model.pieces = pieces;
  return problem.with_model(model);
}

void play_game(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
               State& state, std::vector<std::string>& notes) {
  // Half of what is left, so that the integer program has its turn; all where it is too large to
  // prove more.
  const std::optional<double> left = budget.seconds_left();
  const double share = LatencyProgram::size(problem) <= kPromisingSize ? 0.5 : 1.0;
  Budget part = budget.part(
      {.seconds = left ? std::optional(*left * share) : std::nullopt, .evaluations = std::nullopt});
  const LatencyBound found =
      latency_bound(problem, state.best,
                    {.rounds = options.rounds,
                     .most_bytes = static_cast<std::size_t>(std::max(1, options.memory_mb)) << 20},
                    part);
  budget.count(part.evaluations());
  if (found.value)
    state.bound = std::max(state.bound, *found.value);
  else if (found.ideals > 0)
    notes.push_back(fmt::format("the bound by flows stopped at {} ideals", found.ideals));
  state.take(problem, found.best);
}

void solve_program(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
                   State& state, std::vector<std::string>& notes) {
  if (LatencyProgram::size(problem) > static_cast<std::size_t>(std::max(0, options.variables))) {
    notes.push_back(fmt::format("the integer program has more than {} variables and was left out",
                                options.variables));
    return;
  }
  const LatencyProgram program(problem, state.score.value, state.bound);
  MilpOptions milp;
  milp.seconds = budget.seconds_left();
  milp.nodes = static_cast<std::uint64_t>(std::max(1, options.nodes));
  milp.relative_gap = options.gap;
  milp.start = program.start_from(state.best);
  milp.stop = [&] { return budget.spent(); };
  milp.progress = [&](const MilpProgress& at) {
    if (at.bound) {
      const Duration bound = std::max(state.bound, program.to_time(*at.bound));
      budget.report({.phase = "branch and bound",
                     .best = state.score.value,
                     .bound = std::min(bound, state.score.value)});
    }
  };
  milp.improved = [&](std::span<const double> values, double) {
    state.take(problem, program.decode(values));
    budget.count();
  };
  const MilpSolution solution = solve(program.model(), milp);
  if (solution.has_values()) state.take(problem, program.decode(solution.values.items()));
  if (solution.status == MilpStatus::kOptimal || solution.status == MilpStatus::kFeasible ||
      solution.status == MilpStatus::kNoSolution) {
    const Duration bound = program.to_time(solution.bound) * (1 - options.gap);
    state.bound = std::max(state.bound, std::min(bound, state.score.value));
  }
}

// Placements in which accelerators come back for another piece: single moves from the best so far.
void search_pieces(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
                   State& state, const Rng& rng) {
  constexpr double kStepsPerUnit = 200;
  const Seed start{.spec = "latency-ip",
                   .units = to_units(problem, state.best),
                   .placement = state.best,
                   .score = state.score,
                   .lower_bound = {},
                   .reason = {}};
  AnnealOptions anneal;
  anneal.steps = options.steps > 0 ? options.steps
                                   : kStepsPerUnit * static_cast<double>(problem.unit_count());
  const Outcome found = anneal_from(problem, {start}, anneal, budget, rng.split("pieces"));
  if (found.placement) state.take(problem, *found.placement);
}

}  // namespace

Outcome LatencyIp::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (problem.execution() != Execution::kCall || problem.objective() != Objective::kLatency)
    return {.reason = "latency-ip is for the call model with the objective latency"};
  const int pieces = problem.model().pieces;
  const Problem single = with_pieces(problem, 1);
  SeedSet seeds =
      collect_seeds({"latency-dp", "greedy", "single-device"}, single, budget, rng.split("seeds"));
  std::erase_if(seeds.seeds, [](const Seed& seed) { return !seed.placement; });
  if (seeds.seeds.empty())
    return {.reason = seeds.reason.empty() ? "no placement that fits was found" : seeds.reason};

  Outcome outcome;
  State state{.best = *seeds.seeds.front().placement,
              .score = seeds.seeds.front().score,
              .bound = lower_bound(single).value};
  if (!milp_available()) {
    outcome.placement = state.best;
    outcome.notes.push_back("this build has no HiGHS: the placement is that of " +
                            seeds.seeds.front().spec + ", without proof");
    return outcome;
  }
  // What counts as proven: the tolerance, once for the program's gap and once for its rounding.
  const double slack = 2.5 * options_.gap;
  if (!state.proven(slack) && !budget.spent())
    play_game(single, options_, budget, state, outcome.notes);
  if (!state.proven(slack) && !budget.spent())
    solve_program(single, options_, budget, state, outcome.notes);
  if (pieces > 1) {
    const bool proven_for_one = state.proven(slack);
    state.bound = lower_bound(problem).value;
    if (!state.proven(slack) && !budget.spent())
      play_game(problem, options_, budget, state, outcome.notes);
    if (!state.proven(slack) && !budget.spent()) search_pieces(problem, options_, budget, state, rng);
    if (proven_for_one && !state.proven(slack))
      outcome.notes.push_back("the proof of optimality is for one piece per accelerator");
  }
  outcome.placement = state.best;
  outcome.lower_bound = std::min(state.bound, state.score.value);
  outcome.proven_optimal = state.proven(slack);
  return outcome;
}

}  // namespace berth
