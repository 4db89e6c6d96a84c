#include "berth/learn/place_learned.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/train.h"
#include "berth/place/measured/candidates.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"

namespace berth {
namespace {

// Of the seconds, when real runs come after it.
constexpr double kTrainingShare = 0.4;
// Of the seconds and of the evaluations that are left: for all other seeds, and for local search.
constexpr double kSeedShare = 0.5, kLocalSearchShare = 0.05;
constexpr std::size_t kMostForLocalSearch = 20000;  // nodes

// Local search would swap until the last evaluation, and on a large graph until the last second.
// It has a share of either; without limits, of the evaluations that suit the problem.
std::vector<Seed> seeds_of(const Context& context, Budget& budget) {
  const Problem& problem = context.problem;
  const auto collect = [&](const std::vector<std::string>& specs, Budget& part) {
    return collect_seeds(specs,
                         Context(problem, context.incumbent, part, context.rng.split("seeds")));
  };
  const auto share = [&](double fraction, std::optional<std::uint64_t> evaluations) {
    Budget::Limits limits;
    if (const auto left = budget.seconds_left()) limits.seconds = fraction * *left;
    if (evaluations)
      limits.evaluations = static_cast<std::uint64_t>(fraction * static_cast<double>(*evaluations));
    return limits;
  };
  Budget first = budget.part(share(kSeedShare, budget.evaluations_left()));
  std::vector<Seed> seeds = collect(usual_seeds(problem), first);
  if (problem.node_count() > kMostForLocalSearch || seeds.empty() || budget.spent()) return seeds;
  Budget second = budget.part(
      share(kLocalSearchShare, budget.evaluations_left().value_or(usual_annealing_steps(problem))));
  for (Seed& seed : collect({"local-search"}, second)) seeds.push_back(std::move(seed));
  return seeds;
}

void choose_measured(const Context& context, const LearnedOptions& options, const Task& task,
                     const std::vector<Seed>& seeds, std::span<const SetDevices> preferred) {
  Candidates candidates(task.problem);
  if (const auto best = context.incumbent.placement()) candidates.add(*best);
  for (const SetDevices& devices : preferred) candidates.add(spread(task.graph, devices));
  for (const Seed& seed : seeds) candidates.add(from_units(task.problem, *seed.units));
  for (const Scored& member : task.elite.members())
    candidates.add(spread(task.graph, member.devices));
  candidates.choose(static_cast<std::size_t>(std::max(options.candidates, 0)), options.measurements,
                    context.budget, context.incumbent);
}

}  // namespace

void place_learned(const Context& context, const std::string& spec, const LearnedOptions& options,
                   const MakeLearner& make) {
  const Problem& problem = context.problem;
  const Rng& rng = context.rng;
  const bool measured = options.reward == Reward::kMeasured;
  if (measured && !context.budget.can_measure())
    throw Error(
        fmt::format("{}: nothing here can be run, expected a model as the input of 'place' and "
                    "--devices of this machine, such as local",
                    spec));
  Budget::Limits limits;
  if (measured && context.budget.seconds_left())
    limits.seconds = kTrainingShare * *context.budget.seconds_left();
  Budget training = context.budget.part(limits);

  Task task(problem, options.colocation,
            static_cast<std::size_t>(std::max(options.elite, measured ? options.candidates : 0)));
  std::vector<Seed> seeds;
  if (options.seeds) seeds = seeds_of(context, training);
  std::vector<SetDevices> known;
  for (const Seed& seed : seeds)
    known.push_back(gather(task.graph, from_units(problem, *seed.units)));
  task.score(known, training);
  if (context.incumbent.placement()) task.reference = context.incumbent.value();
  std::unique_ptr<Learner> learner;
  if (measured || !context.incumbent.closed(kSettled)) {
    learner = make(task, rng.split("weights")());
    const Plan plan{
        .updates = options.updates,
        .rollouts = options.rollouts,
        .refine = options.refine,
        .checkpoint = options.checkpoint,
        .resume = options.resume,
        .identity = fmt::format("{} on {}, {} sets, seed stream {:x}", spec, problem.name(),
                                task.graph.size(), rng.split("identity")())};
    context.incumbent.set_curve(train(*learner, {&task, 1}, plan, training, rng.split("training")));
  }
  if (!task.elite.empty()) context.incumbent.offer(spread(task.graph, task.elite.best().devices));
  if (seeds.empty()) context.incumbent.fail("no placement that fits was sampled");
  if (measured)
    choose_measured(context, options, task, seeds,
                    learner->learn_measured(task, context.budget, rng.split("measured")));
}

}  // namespace berth
