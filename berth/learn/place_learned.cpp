#include "berth/learn/place_learned.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/train.h"
#include "berth/place/measured/candidates.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

// Of the seconds, when real runs come after it.
constexpr double kTrainingShare = 0.4;

// Local search would swap until the last evaluation: half of a limit is the training's.
SeedSet seeds_of(const Problem& problem, Budget& budget, const Rng& rng) {
  std::vector<std::string> specs = usual_seeds(problem);
  if (problem.node_count() <= 20000) specs.emplace_back("local-search");
  Budget::Limits limits;
  if (const auto left = budget.evaluations_left()) limits.evaluations = *left / 2;
  Budget part = budget.part(limits);
  return collect_seeds(specs, problem, part, rng);
}

// The best that fits; of equal ones one that is proven optimal.
const Seed* best_of(const SeedSet& set) {
  const Seed* best = nullptr;
  for (const Seed& seed : set.seeds)
    if (seed.score.feasible() &&
        (best == nullptr || (!(best->score < seed.score) && seed.proven_optimal)))
      best = &seed;
  return best;
}

std::vector<SetDevices> placements_of(const SeedSet& set, const Task& task) {
  std::vector<SetDevices> result;
  for (const Seed& seed : set.seeds)
    if (seed.units) result.push_back(gather(task.graph, from_units(task.problem, *seed.units)));
  return result;
}

// The best placement of a seed and of the elite.
void keep_best(const Task& task, const Seed* seed, Outcome& outcome) {
  if (!task.elite.empty()) outcome.placement = spread(task.graph, task.elite.best().devices);
  if (seed == nullptr) return;
  Outcome better =
      better_of(task.problem, *seed,
                outcome.placement ? *outcome.placement : from_units(task.problem, *seed->units));
  outcome.placement = std::move(better.placement);
  outcome.proven_optimal = better.proven_optimal;
  if (outcome.placement == seed->placement) outcome.found_by = seed->spec;
}

void choose_measured(const LearnedOptions& options, const Task& task, const SeedSet& set,
                     std::span<const SetDevices> preferred, Budget& budget, Outcome& outcome) {
  outcome.proven_optimal = false;  // that was about simulated times
  Candidates candidates(task.problem);
  if (outcome.placement) candidates.add(*outcome.placement);
  for (const SetDevices& devices : preferred) candidates.add(spread(task.graph, devices));
  for (const Seed& seed : set.seeds)
    if (seed.units) candidates.add(from_units(task.problem, *seed.units));
  for (const Scored& member : task.elite.members())
    candidates.add(spread(task.graph, member.devices));
  candidates.choose(static_cast<std::size_t>(std::max(options.candidates, 0)), options.measurements,
                    budget, outcome);
}

}  // namespace

Outcome place_learned(const std::string& spec, const LearnedOptions& options,
                      const MakeLearner& make, const Problem& problem, Budget& budget,
                      const Rng& rng) {
  const bool measured = options.reward == Reward::kMeasured;
  if (measured && !budget.can_measure())
    throw Error(
        fmt::format("{}: nothing here can be run, expected a model as the input of 'place' and "
                    "--devices of this machine, such as local",
                    spec));
  Budget::Limits limits;
  if (measured && budget.seconds_left()) limits.seconds = kTrainingShare * *budget.seconds_left();
  Budget training = budget.part(limits);

  Task task(problem, options.colocation,
            static_cast<std::size_t>(std::max(options.elite, measured ? options.candidates : 0)));
  SeedSet seeds;
  if (options.seeds) seeds = seeds_of(problem, training, rng.split("seeds"));
  const Seed* best = best_of(seeds);
  Outcome outcome{.lower_bound = seeds.lower_bound,
                  .contradictions = seeds.contradictions,
                  .bound_by = seeds.bound_by};
  task.score(placements_of(seeds, task), training);
  if (best != nullptr) task.reference = best->score.value;
  std::unique_ptr<Learner> learner;
  if (best == nullptr || !best->proven_optimal || measured) {
    learner = make(task, rng.split("weights")());
    const Plan plan{
        .updates = options.updates,
        .rollouts = options.rollouts,
        .refine = options.refine,
        .checkpoint = options.checkpoint,
        .resume = options.resume,
        .identity = fmt::format("{} on {}, {} sets, seed stream {:x}", spec, problem.name(),
                                task.graph.size(), rng.split("identity")())};
    outcome.curve = train(*learner, {&task, 1}, plan, training, rng.split("training"));
  }
  keep_best(task, best, outcome);
  if (!outcome.placement)
    outcome.reason = seeds.reason.empty() ? "no placement that fits was sampled" : seeds.reason;
  if (measured)
    choose_measured(options, task, seeds,
                    learner->learn_measured(task, budget, rng.split("measured")), budget, outcome);
  return outcome;
}

}  // namespace berth
