#include "berth/place/latency/latency_ip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "berth/place/latency/latency_bound.h"
#include "berth/place/latency/latency_program.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/search/bounds.h"
#include "berth/solvers/milp_check.h"

namespace berth {
namespace {

// Programs up to about this many variables have closed gaps that the game left.
constexpr std::size_t kPromisingSize = 10000;

// Who says so, where claims meet (incumbent.h).
constexpr const char* kFlows = "latency-ip (flows)";
constexpr const char* kProgram = "latency-ip (program)";

Problem with_pieces(const Problem& problem, int pieces) {
  return problem.with_model({CallLatency{.pieces = pieces}, problem.model().max_subgraphs});
}

void play_game(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
               Incumbent& incumbent) {
  // Half of what is left, so that the integer program has its turn; all where it is too large to
  // prove more.
  Budget part = budget.share(LatencyProgram::size(problem) <= kPromisingSize ? 0.5 : 1.0);
  const LatencyBound found =
      latency_bound(problem, *incumbent.placement(),
                    {.rounds = options.rounds,
                     .most_bytes = static_cast<std::size_t>(std::max(1, options.memory_mb)) << 20},
                    part);
  if (found.value)
    incumbent.raise_bound(*found.value, kFlows);
  else if (found.ideals > 0)
    incumbent.note(fmt::format("the bound by flows stopped at {} ideals", found.ideals));
  incumbent.offer(found.best, kFlows);
}

void solve_program(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
                   Incumbent& incumbent) {
  if (LatencyProgram::size(problem) > static_cast<std::size_t>(std::max(0, options.variables))) {
    incumbent.note(fmt::format("the integer program has more than {} variables and was left out",
                               options.variables));
    return;
  }
  const Duration known = incumbent.value();
  const LatencyProgram program(problem, known, incumbent.bound());
  MilpOptions milp;
  milp.seconds = budget.seconds_left();
  milp.nodes = static_cast<std::uint64_t>(std::max(1, options.nodes));
  milp.relative_gap = options.gap;
  milp.plain = !options.presolve;
  milp.start = program.start_from(*incumbent.placement());
  milp.stop = [&] { return budget.spent(); };
  milp.progress = [&](const MilpProgress& at) {
    if (!at.bound) return;
    budget.report({.phase = "branch and bound",
                   .best = incumbent.value(),
                   .bound = std::max(incumbent.bound(), program.to_time(*at.bound))});
  };
  milp.improved = [&](std::span<const double> values, double) {
    incumbent.offer(program.decode(values), kProgram);
    budget.count();
  };
  const CheckedSolution checked = solve_checked(program.model(), milp, program.to_objective(known),
                                                {.tolerance = 2 * options.gap});
  const MilpSolution& solution = checked.solution;
  if (solution.has_values()) incumbent.offer(program.decode(solution.values.items()), kProgram);
  if (checked.dispute) incumbent.note(fmt::format("{}: {}", kProgram, *checked.dispute));
  if (checked.contradiction)
    incumbent.refute(
        {{kProgram, kProgram, fmt::format("{}: {}", kProgram, *checked.contradiction)}});
  else if (solution.status != MilpStatus::kFailed && std::isfinite(solution.bound))
    incumbent.raise_bound(program.to_time(solution.bound) * (1 - options.gap), kProgram);
}

// Placements in which accelerators come back for another piece: single moves from the best so far.
void search_pieces(const Context& context, const LatencyIpOptions& options) {
  constexpr double kStepsPerUnit = 200;
  const Problem& problem = context.problem;
  const Seed start{.spec = "latency-ip",
                   .units = to_units(problem, *context.incumbent.placement()),
                   .score = {.value = context.incumbent.value()}};
  AnnealingOptions anneal;
  anneal.steps =
      options.steps > 0 ? options.steps : kStepsPerUnit * static_cast<double>(problem.unit_count());
  context.incumbent.offer(anneal_from(problem, {start}, context.incumbent.bound(), anneal,
                                      context.budget, context.rng.split("pieces")),
                          "anneal");
}

}  // namespace

void latency_ip(const Context& context, const LatencyIpOptions& options) {
  Budget& budget = context.budget;
  const Problem single = with_pieces(context.problem, 1);
  Incumbent one(single, budget, "latency-ip");
  one.raise_bound(lower_bound(single).value, "bounds");
  const std::vector<Seed> seeds =
      collect_seeds({"latency-dp", "greedy", "single-device"},
                    Context(single, one, budget, context.rng.split("seeds")));
  if (!one.placement()) {
    one.fail("no placement that fits was found");
    return context.incumbent.take(one.outcome());
  }

  // What counts as proven: the tolerance, once for the program's gap and once for its rounding.
  const double slack = 2.5 * options.gap;
  const auto open = [&](const Incumbent& incumbent) {
    return milp_available() && !incumbent.closed(slack) && !budget.spent();
  };
  if (!milp_available())
    one.note("this build has no HiGHS: the placement is that of " + seeds.front().spec +
             ", without proof");
  if (open(one)) play_game(single, options, budget, one);
  if (open(one)) solve_program(single, options, budget, one);
  if (one.closed(slack)) one.prove();
  Outcome outcome = one.outcome();
  if (context.problem.get<CallLatency>().pieces == 1) return context.incumbent.take(outcome);

  // The optimum for one piece is the start; what was proven of it bounds nothing here.
  Incumbent& several = context.incumbent;
  const bool proven = std::exchange(outcome.proven_optimal, false);
  outcome.lower_bound.reset();
  several.take(outcome);
  several.raise_bound(lower_bound(context.problem).value, "bounds");
  if (open(several)) play_game(context.problem, options, budget, several);
  if (open(several)) search_pieces(context, options);
  if (several.closed(slack))
    several.prove();
  else if (proven)
    several.note("the proof of optimality is for one piece per accelerator");
}

}  // namespace berth
