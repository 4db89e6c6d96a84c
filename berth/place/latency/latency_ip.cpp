#include "berth/place/latency/latency_ip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "berth/place/latency/latency_bound.h"
#include "berth/place/latency/latency_program.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/search/incumbent.h"
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
               Incumbent& incumbent, std::vector<std::string>& notes) {
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
    notes.push_back(fmt::format("the bound by flows stopped at {} ideals", found.ideals));
  incumbent.offer(found.best, kFlows);
}

void solve_program(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
                   Incumbent& incumbent, std::vector<std::string>& notes) {
  if (LatencyProgram::size(problem) > static_cast<std::size_t>(std::max(0, options.variables))) {
    notes.push_back(fmt::format("the integer program has more than {} variables and was left out",
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
  if (checked.dispute) notes.push_back(fmt::format("{}: {}", kProgram, *checked.dispute));
  if (checked.contradiction)
    incumbent.refute({kProgram, kProgram, fmt::format("{}: {}", kProgram, *checked.contradiction)});
  else if (solution.status != MilpStatus::kFailed && std::isfinite(solution.bound))
    incumbent.raise_bound(program.to_time(solution.bound) * (1 - options.gap), kProgram);
}

// Placements in which accelerators come back for another piece: single moves from the best so far.
void search_pieces(const Problem& problem, const LatencyIpOptions& options, Budget& budget,
                   Incumbent& incumbent, const Rng& rng) {
  constexpr double kStepsPerUnit = 200;
  Seed start;
  start.spec = "latency-ip";
  start.placement = incumbent.placement();
  start.units = to_units(problem, *start.placement);
  start.score.value = incumbent.value();
  AnnealingOptions anneal;
  anneal.steps =
      options.steps > 0 ? options.steps : kStepsPerUnit * static_cast<double>(problem.unit_count());
  const Outcome found = anneal_from(problem, {start}, anneal, budget, rng.split("pieces"));
  if (found.placement) incumbent.offer(*found.placement, "anneal");
}

}  // namespace

Outcome LatencyIp::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (!problem.as<CallLatency>())
    return {.reason = "latency-ip is for the call model with the objective latency"};
  const Problem single = with_pieces(problem, 1);
  const SeedSet seeds =
      collect_seeds({"latency-dp", "greedy", "single-device"}, single, budget, rng.split("seeds"));
  Incumbent one(single, budget);
  one.add(seeds.contradictions);
  for (const Seed& seed : seeds.seeds)
    if (seed.placement) one.offer(*seed.placement, seed.spec);
  if (!one.placement())
    return {.reason = seeds.reason.empty() ? "no placement that fits was found" : seeds.reason};

  std::vector<std::string> notes;
  // What counts as proven: the tolerance, once for the program's gap and once for its rounding.
  const double slack = 2.5 * options_.gap;
  const auto open = [&](const Incumbent& incumbent) {
    return milp_available() && !incumbent.closed(slack) && !budget.spent();
  };
  if (!milp_available())
    notes.push_back("this build has no HiGHS: the placement is that of " +
                    seeds.seeds.front().spec + ", without proof");
  if (open(one)) play_game(single, options_, budget, one, notes);
  if (open(one)) solve_program(single, options_, budget, one, notes);
  Outcome outcome = one.outcome(slack);
  if (problem.as<CallLatency>()->pieces > 1) {
    // The optimum for one piece is the start; what was proven of it bounds nothing here.
    Incumbent several(problem, budget);
    several.offer(*outcome.placement, "latency-ip");
    if (open(several)) play_game(problem, options_, budget, several, notes);
    if (open(several)) search_pieces(problem, options_, budget, several, rng);
    several.add(outcome.contradictions);
    if (outcome.proven_optimal && !several.closed(slack))
      notes.push_back("the proof of optimality is for one piece per accelerator");
    outcome = several.outcome(slack);
  }
  outcome.found_by.clear();
  outcome.notes = std::move(notes);
  return outcome;
}

}  // namespace berth
