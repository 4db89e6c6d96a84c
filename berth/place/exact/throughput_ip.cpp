#include "berth/place/exact/throughput_ip.h"

#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "berth/place/bounds.h"
#include "berth/place/exact/chain_program.h"
#include "berth/place/exact/large_neighbourhood.h"
#include "berth/place/exact/load_program.h"
#include "berth/place/heuristic/anneal.h"
#include "berth/place/seeds.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

constexpr double kSame = 1e-6;  // values closer than this, relatively, are one value
constexpr double kHair =
    5e-7;  // what is taken off limits and bounds, against the solver's tolerances
constexpr std::uint64_t kQuickNodes = 50;
constexpr double kProgramValue = 1000;  // of the best known value: tolerances are absolute

// The best placement so far, judged by the simulator.
class Best {
 public:
  Best(const Problem& problem, Budget& budget)
      : problem_(problem), budget_(budget), evaluator_(problem) {}

  bool offer(Placement placement, const char* phase) {
    const Score score = evaluator_(placement);
    if (!score.feasible() || broken_rule(problem_, placement)) return false;
    if (placement_ && !(score < score_)) return false;
    score_ = score;
    placement_ = std::move(placement);
    report(phase);
    return true;
  }
  void raise_bound(double micros) { bound_ = std::max(bound_, micros); }
  void report(const char* phase) const {
    Progress progress{.phase = phase, .best = {}, .bound = Duration{bound_}};
    if (placement_) progress.best = score_.value;
    budget_.report(progress);
  }

  const std::optional<Placement>& placement() const { return placement_; }
  double value() const { return placement_ ? score_.value.count() : kForever.count(); }
  double bound() const { return bound_; }
  bool proven() const { return placement_ && value() <= bound_ * (1 + kSame); }

 private:
  const Problem& problem_;
  Budget& budget_;
  Evaluator evaluator_;
  std::optional<Placement> placement_;
  Score score_;
  double bound_ = 0;
};

Budget share_of(const Budget& budget, double fraction) {
  Budget::Limits limits;
  if (const std::optional<double> left = budget.seconds_left()) limits.seconds = *left * fraction;
  return budget.part(limits);
}

// Seeds and annealing.
void find_first(const Problem& problem, const LoadModel& model, const ThroughputIpOptions& options,
                Best& best, Budget& budget, const Rng& rng) {
  std::vector<std::string> specs{"linear-dp"};
  if (!problem.model().contiguous) {
    specs.emplace_back("scotch");
    specs.emplace_back("greedy");
  }
  const SeedSet set = collect_seeds(specs, problem, budget, rng.split("seeds"));
  for (const Seed& seed : set.seeds)
    if (seed.placement) best.offer(*seed.placement, "seeds");
  if (set.seeds.empty() || best.proven()) return;
  AnnealOptions anneal{.threads = options.threads};
  anneal.steps = options.steps;
  Budget part = share_of(budget, 0.15);
  if (!(options.steps > 0))
    anneal.steps = (part.limits().seconds ? 3e4 : 2e3) * static_cast<double>(model.unit_count());
  const Outcome annealed = anneal_from(problem, set.seeds, anneal, part, rng.split("anneal"));
  budget.count(part.evaluations());
  if (annealed.placement) best.offer(*annealed.placement, "anneal");
}

using NodeLimit = std::optional<std::uint64_t>;

// A node of the tree counts as an evaluation.
NodeLimit nodes_left(const Budget& budget, NodeLimit nodes) {
  if (!budget.limits().evaluations) return nodes;
  const std::uint64_t most = *budget.limits().evaluations;
  const std::uint64_t rest = most - std::min(most, budget.evaluations());
  return std::min(nodes.value_or(rest), rest);
}

// A program and the way back from its solutions.
struct WholeProgram {
  MilpModel milp;
  std::function<Placement(std::span<const double>)> read;
  bool impossible = false;
};

WholeProgram whole_program(const Problem& problem, const LoadModel& model, double limit,
                           double scale, std::vector<ForcedCut> forced) {
  if (problem.model().contiguous) {
    auto chain = std::make_shared<const ChainProgram>(chain_program(model, limit, scale));
    return {chain->milp, [&problem, &model, chain](std::span<const double> values) {
              return placement_of_slots(problem, model, chain->read(model, values));
            }};
  }
  auto program = std::make_shared<const LoadProgram>(
      load_program(model, {.limit = limit, .scale = scale, .forced = std::move(forced)}));
  return {program->milp,
          [&problem, &model, program](std::span<const double> values) {
            return placement_of_slots(problem, model, program->read(values));
          },
          program->impossible};
}

// The whole program, asked for something better than what is known: better placements, and the
// bound. False when nothing at all fits.
bool prove(const Problem& problem, const LoadModel& model, bool tighten, NodeLimit nodes,
           Best& best, Budget& budget) {
  if (budget.spent()) return true;
  const char* const phase = "branch and bound";
  const bool known = best.placement().has_value();
  const double limit = known ? best.value() * (1 - kHair) : kNoLimit;
  const double scale = std::max(known ? best.value() : best.bound(), 1e-9) / kProgramValue;
  std::vector<ForcedCut> forced;
  if (tighten && !problem.model().contiguous) {
    Budget part = share_of(budget, 0.15);
    forced = forced_cuts(model, limit, part);
    budget.count(part.evaluations());
  }
  const WholeProgram program = whole_program(problem, model, limit, scale, std::move(forced));
  const auto raise = [&](double bound) {
    best.raise_bound(std::min(bound * scale, limit) * (1 - kHair));
  };
  const MilpOptions how{.seconds = budget.seconds_left(),
                        .nodes = nodes_left(budget, nodes),
                        .relative_gap = kHair / 5,
                        .tolerance = 1e-8,  // times kProgramValue it must stay well below a hair
                        .stop = [&] { return budget.spent(); },
                        .progress =
                            [&](const MilpProgress& progress) {
                              if (progress.bound) raise(*progress.bound);
                              best.report(phase);
                            },
                        .improved = [&](std::span<const double> values,
                                        double) { best.offer(program.read(values), phase); }};
  const MilpSolution solution = program.impossible ? MilpSolution{.status = MilpStatus::kInfeasible}
                                                   : solve(program.milp, how);
  budget.count(solution.nodes);
  if (solution.has_values()) best.offer(program.read(solution.values.items()), phase);
  if (solution.status != MilpStatus::kInfeasible) {
    raise(solution.bound);
    return true;
  }
  if (known) best.raise_bound(limit);
  return known;
}

// Neighbourhoods of the best placement, as long as they help. Loads must be the problem's own.
void search_neighbourhoods(const Problem& problem, const LoadModel& model, int rounds, Best& best,
                           Budget& budget, const Rng& rng) {
  if (problem.model().contiguous || !model.exact || !best.placement()) return;
  Budget part = share_of(budget, 0.4);
  LargeNeighbourhoodOptions options{.rounds = part.limits().seconds ? 0 : rounds,
                                    .floor = best.bound()};
  large_neighbourhood_search(model, slots_of_placement(model, *best.placement()), options, part,
                             rng.split("neighbourhoods"), [&](const SlotOfUnit& slot_of) {
                               best.offer(placement_of_slots(problem, model, slot_of),
                                          "neighbourhoods");
                             });
  budget.count(part.evaluations());
}

}  // namespace

Outcome ThroughputIp::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (const std::optional<std::string> why = why_no_load(problem)) return {.reason = *why};
  if (!milp_available())
    return {.reason =
                "throughput-ip needs an integer-program solver (HiGHS), which this build lacks"};
  Outcome outcome;
  Best best(problem, budget);
  best.raise_bound(lower_bound(problem).value.count());
  const LoadModel model = load_model(problem, {.ordered = problem.model().contiguous});
  find_first(problem, model, options_, best, budget, rng);
  bool fits = best.proven();
  if (!fits) {  // a quick try: small problems need no search
    Budget part = share_of(budget, 0.04);
    fits = prove(problem, model, false, kQuickNodes, best, part);
    budget.count(part.evaluations());
  }
  if (fits && !best.proven()) {
    search_neighbourhoods(problem, model, options_.rounds, best, budget, rng);
    NodeLimit nodes;
    if (!budget.limits().seconds && options_.nodes > 0)
      nodes = static_cast<std::uint64_t>(options_.nodes);
    fits = best.proven() || prove(problem, model, options_.tighten, nodes, best, budget);
  }
  if (!fits) outcome.reason = "no placement fits memory and constraints";

  outcome.placement = best.placement();
  outcome.lower_bound = Duration{std::min(best.bound(), best.value())};
  outcome.proven_optimal = best.proven();
  if (!outcome.placement && outcome.reason.empty())
    outcome.reason = "the search ended before a placement that fits was found";
  return outcome;
}

}  // namespace berth
