// hsdag from seeds to outcome.

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/torch/hsdag/training.h"
#include "berth/learn/torch/methods.h"
#include "berth/place/measured/candidates.h"
#include "berth/place/registry.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

// Of the seconds, when real runs come after it.
constexpr double kTrainingShare = 0.4;

// The best value of any device alone; without one that fits, the smallest sum of times.
Duration single_device_value(const Problem& problem) {
  Evaluator evaluator(problem);
  Duration best = kForever;
  for (const DeviceId device : problem.devices()) {
    const Score score = evaluator(on_one_device(problem, device));
    if (score.feasible()) best = std::min(best, score.value);
  }
  if (best != kForever) return best;
  Duration sum{0};
  for (const NodeId node : problem.graph().nodes()) {
    const std::span<const double> row = problem.time_row(node);
    sum += Duration{*std::min_element(row.begin(), row.end())};
  }
  return sum;
}

std::vector<std::string> seed_specs(const Problem& problem) {
  std::vector<std::string> specs = usual_seeds(problem);
  if (problem.node_count() <= 20000) specs.emplace_back("local-search");
  return specs;
}

// The best placement of the seeds and of a training.
Outcome trained(const HsdagOptions& options, const Problem& problem, const PolicyGraph& graph,
                const SeedSet& seeds, Scorer& scorer, Budget& budget, const Rng& rng) {
  const bool good_seed = !seeds.seeds.empty() && seeds.seeds.front().score.feasible();
  const Duration reference =
      good_seed ? seeds.seeds.front().score.value : single_device_value(problem);
  HsdagOptions kept = options;  // what training depends on
  kept.checkpoint = kept.resume = "";
  HsdagLearner learner(problem, graph, options, reference, rng.split("weights")());
  Outcome outcome;
  outcome.lower_bound = seeds.lower_bound;
  outcome.bound_by = seeds.bound_by;
  outcome.contradictions = seeds.contradictions;
  outcome.curve = train(
      learner, scorer,
      {.updates = options.updates,
       .checkpoint = options.checkpoint,
       .resume = options.resume,
       .identity = fmt::format("{} on {}, {} sets, seed stream {:x}", write_options("hsdag", kept),
                               problem.name(), graph.size(), rng.split("identity")())},
      budget, rng.split("training"));

  if (!scorer.elite().empty()) outcome.placement = spread(graph, scorer.elite().front().devices);
  if (good_seed) {
    const Seed& best = seeds.seeds.front();
    Placement found =
        outcome.placement ? std::move(*outcome.placement) : from_units(problem, *best.units);
    Outcome better = better_of(problem, best, std::move(found));
    outcome.placement = std::move(better.placement);
    if (outcome.placement == best.placement) outcome.found_by = best.spec;
  }
  if (!outcome.placement)
    outcome.reason = seeds.reason.empty() ? "no placement that fits was sampled" : seeds.reason;
  return outcome;
}

// Real runs decide between single devices, seeds and the best placements of the training.
void choose_measured(const HsdagOptions& options, const Problem& problem, const PolicyGraph& graph,
                     const SeedSet& seeds, const Scorer& scorer, Budget& budget, Outcome& outcome) {
  Candidates candidates(problem);
  if (outcome.placement) candidates.add(*outcome.placement);
  for (const Seed& seed : seeds.seeds)
    if (seed.units) candidates.add(from_units(problem, *seed.units));
  for (const Scorer::Elite& member : scorer.elite()) candidates.add(spread(graph, member.devices));
  candidates.choose(static_cast<std::size_t>(std::max(options.candidates, 0)), options.measurements,
                    budget, outcome);
}

}  // namespace

Outcome place_hsdag(const Spec& spec, const Problem& problem, Budget& budget, const Rng& rng) {
  const HsdagOptions options = read_options<HsdagOptions>(spec);
  const bool measured = options.reward == HsdagReward::kMeasured;
  if (measured && !budget.can_measure())
    throw Error(
        "hsdag(reward=measured): nothing here can be run, expected a model as the input of "
        "'place' and --devices of this machine, such as local");
  // The matrices are small: a second thread of LibTorch costs more in waiting than it brings.
  torch::set_num_threads(1);
  const PolicyGraph graph = policy_graph(problem, options.colocation);
  const int kept = std::max({options.elite, measured ? options.candidates : 0, 1});
  Scorer scorer(problem, graph, static_cast<std::size_t>(kept));

  Budget::Limits limits;
  if (measured && budget.seconds_left()) limits.seconds = kTrainingShare * *budget.seconds_left();
  Budget training = budget.part(limits);
  SeedSet seeds;
  if (options.seeds) {
    seeds = collect_seeds(seed_specs(problem), problem, training, rng.split("seeds"));
    std::vector<SetDevices> known;
    for (const Seed& seed : seeds.seeds)
      if (seed.units) known.push_back(gather(graph, from_units(problem, *seed.units)));
    scorer.score(known, training);
  }
  Outcome outcome = trained(options, problem, graph, seeds, scorer, training, rng);
  if (measured) choose_measured(options, problem, graph, seeds, scorer, budget, outcome);
  return outcome;
}

}  // namespace berth
