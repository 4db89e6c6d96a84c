// hsdag from seeds to outcome.

#include <algorithm>

#include <fmt/format.h>

#include "berth/learn/hsdag_training.h"
#include "berth/learn/methods.h"
#include "berth/place/registry.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

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

}  // namespace

Outcome place_hsdag(const Spec& spec, const Problem& problem, Budget& budget, const Rng& rng) {
  const HsdagOptions options = read_options<HsdagOptions>(spec);
  // The matrices are small: a second thread of LibTorch costs more in waiting than it brings.
  torch::set_num_threads(1);
  const PolicyGraph graph = policy_graph(problem, options.colocation);
  Scorer scorer(problem, graph, static_cast<std::size_t>(std::max(options.elite, 1)));

  Outcome outcome;
  SeedSet seeds;
  if (options.seeds) {
    seeds = collect_seeds(seed_specs(problem), problem, budget, rng.split("seeds"));
    outcome.lower_bound = seeds.lower_bound;
    std::vector<SetDevices> known;
    for (const Seed& seed : seeds.seeds)
      if (seed.units) known.push_back(gather(graph, from_units(problem, *seed.units)));
    scorer.score(known, budget);
  }
  const bool good_seed = !seeds.seeds.empty() && seeds.seeds.front().score.feasible();
  const Duration reference =
      good_seed ? seeds.seeds.front().score.value : single_device_value(problem);

  HsdagOptions kept = options;  // what training depends on
  kept.checkpoint = kept.resume = "";
  HsdagLearner learner(problem, graph, options, reference, rng.split("weights")());
  outcome.curve = train(learner, scorer,
                        {.updates = options.updates,
                         .checkpoint = options.checkpoint,
                         .resume = options.resume,
                         .identity = fmt::format("{} on {}, {} sets, seed stream {:x}",
                                                 write_options("hsdag", kept), problem.name(),
                                                 graph.size(), rng.split("identity")())},
                        budget, rng.split("training"));

  if (!scorer.elite().empty()) outcome.placement = spread(graph, scorer.elite().front().devices);
  if (good_seed) {
    const Seed& best = seeds.seeds.front();
    Placement found = outcome.placement ? std::move(*outcome.placement) : from_units(problem, *best.units);
    Outcome better = better_of(problem, best, std::move(found));
    outcome.placement = std::move(better.placement);
    if (outcome.placement == best.placement) outcome.found_by = best.spec;
  }
  if (!outcome.placement)
    outcome.reason = seeds.reason.empty() ? "no placement that fits was sampled" : seeds.reason;
  return outcome;
}

}  // namespace berth
