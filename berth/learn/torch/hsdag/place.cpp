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

// Trains; the best placement that was seen goes to the incumbent.
void train_policy(const HsdagOptions& options, const Context& context, const PolicyGraph& graph,
                  const std::vector<Seed>& seeds, Scorer& scorer, Budget& budget) {
  const Problem& problem = context.problem;
  const bool good_seed = !seeds.empty() && seeds.front().score.feasible();
  const Duration reference = good_seed ? seeds.front().score.value : single_device_value(problem);
  HsdagOptions kept = options;  // what training depends on
  kept.checkpoint = kept.resume = "";
  const Rng& rng = context.rng;
  HsdagLearner learner(problem, graph, options, reference, rng.split("weights")());
  context.incumbent.set_curve(train(
      learner, scorer,
      {.updates = options.updates,
       .checkpoint = options.checkpoint,
       .resume = options.resume,
       .identity = fmt::format("{} on {}, {} sets, seed stream {:x}", write_options("hsdag", kept),
                               problem.name(), graph.size(), rng.split("identity")())},
      budget, rng.split("training")));
  if (!scorer.elite().empty())
    context.incumbent.offer(spread(graph, scorer.elite().front().devices));
  if (seeds.empty()) context.incumbent.fail("no placement that fits was sampled");
}

// Real runs decide between single devices, seeds and the best placements of the training.
void choose_measured(const HsdagOptions& options, const Context& context, const PolicyGraph& graph,
                     const std::vector<Seed>& seeds, const Scorer& scorer) {
  Candidates candidates(context.problem);
  if (const auto best = context.incumbent.placement()) candidates.add(*best);
  for (const Seed& seed : seeds) candidates.add(from_units(context.problem, *seed.units));
  for (const Scorer::Elite& member : scorer.elite()) candidates.add(spread(graph, member.devices));
  candidates.choose(static_cast<std::size_t>(std::max(options.candidates, 0)), options.measurements,
                    context.budget, context.incumbent);
}

}  // namespace

void place_hsdag(const Spec& spec, const Context& context) {
  const HsdagOptions options = read_options<HsdagOptions>(spec);
  const Problem& problem = context.problem;
  const bool measured = options.reward == HsdagReward::kMeasured;
  if (measured && !context.budget.can_measure())
    throw Error(
        "hsdag(reward=measured): nothing here can be run, expected a model as the input of "
        "'place' and --devices of this machine, such as local");
  // The matrices are small: a second thread of LibTorch costs more in waiting than it brings.
  torch::set_num_threads(1);
  const PolicyGraph graph = policy_graph(problem, options.colocation);
  const int kept = std::max({options.elite, measured ? options.candidates : 0, 1});
  Scorer scorer(problem, graph, static_cast<std::size_t>(kept));

  Budget::Limits limits;
  if (measured && context.budget.seconds_left())
    limits.seconds = kTrainingShare * *context.budget.seconds_left();
  Budget training = context.budget.part(limits);
  std::vector<Seed> seeds;
  if (options.seeds) {
    seeds = collect_seeds(seed_specs(problem), Context(problem, context.incumbent, training,
                                                       context.rng.split("seeds")));
    std::vector<SetDevices> known;
    for (const Seed& seed : seeds) known.push_back(gather(graph, from_units(problem, *seed.units)));
    scorer.score(known, training);
  }
  train_policy(options, context, graph, seeds, scorer, training);
  if (measured) choose_measured(options, context, graph, seeds, scorer);
}

}  // namespace berth
