#include "berth/place/measured/measured.h"

#include <algorithm>

#include "berth/place/measured/candidates.h"
#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

constexpr double kGuessShare = 0.5;  // of a time limit

// Numbers of subgraphs, half as many again from one to the next, below what there is already.
std::vector<int> fewer_than(std::size_t subgraphs) {
  std::vector<int> limits;
  for (std::size_t limit = 2; limit < subgraphs; limit += std::max<std::size_t>(1, limit / 2))
    limits.push_back(static_cast<int>(limit));
  std::reverse(limits.begin(), limits.end());  // near the first guess first
  return limits;
}

}  // namespace

Outcome MeasuredPlacer::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (!budget.can_measure())
    return {.reason =
                "nothing here can be run: expected a model as the input of 'place' and --devices "
                "of this machine, such as local"};
  Budget::Limits limits;
  if (const auto left = budget.seconds_left()) limits.seconds = kGuessShare * *left;
  Budget guessing = budget.part(limits);
  Outcome outcome = make_placer(options_.method)->place(problem, guessing, rng);
  outcome.lower_bound.reset();  // bounds are of the simulated problem, as run_placer adds them
  outcome.proven_optimal = false;
  Candidates candidates(problem);
  if (outcome.placement) {
    candidates.add(*outcome.placement);
    for (const int limit : fewer_than(simulate(problem, *outcome.placement).subgraphs)) {
      if (guessing.out_of_time()) break;
      ExecutionModel model = problem.model();
      model.max_subgraphs = limit;
      Budget::Limits few;
      few.evaluations = static_cast<std::uint64_t>(std::max(1, options_.evaluations));
      Budget part = guessing.part(few);
      Rng stream = rng.split("few subgraphs");
      const Outcome guess = make_placer("anneal")->place(problem.with_model(model), part, stream);
      if (guess.placement) candidates.add(*guess.placement);
    }
  }
  if (problem.objective() == Objective::kThroughput) {
    const Outcome shared = make_placer("replicate")->place(problem, guessing, rng);
    if (shared.placement) candidates.add(*shared.placement);
  }
  candidates.choose(static_cast<std::size_t>(std::max(1, options_.candidates)),
                    options_.measurements, budget, outcome);
  if (outcome.placement) outcome.reason.clear();
  return outcome;
}

}  // namespace berth
