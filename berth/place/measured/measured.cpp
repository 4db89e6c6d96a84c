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

void measured(const Context& context, const MeasuredOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  if (!budget.can_measure())
    return context.incumbent.fail(
        "nothing here can be run: expected a model as the input of 'place' and --devices "
        "of this machine, such as local");
  Budget::Limits limits;
  if (const auto left = budget.seconds_left()) limits.seconds = kGuessShare * *left;
  Budget guessing = budget.part(limits);
  Outcome guess = run_method(options.method, problem, guessing, context.rng);
  guess.lower_bound.reset();  // bounds are of the simulated problem, as run_placer adds them
  guess.proven_optimal = false;
  context.incumbent.take(guess, options.method);
  Candidates candidates(problem);
  if (guess.placement) {
    candidates.add(*guess.placement);
    for (const int limit : fewer_than(simulate(problem, *guess.placement).subgraphs)) {
      if (guessing.out_of_time()) break;
      ExecutionModel model = problem.model();
      model.max_subgraphs = limit;
      Budget::Limits few;
      few.evaluations = static_cast<std::uint64_t>(std::max(1, options.evaluations));
      Budget part = guessing.part(few);
      const Outcome other =
          run_method("anneal", problem.with_model(model), part, context.rng.split("few subgraphs"));
      if (other.placement) candidates.add(*other.placement);
    }
  }
  if (problem.objective() == Objective::kThroughput) {
    const Outcome shared = run_method("replicate", problem, guessing, context.rng);
    if (shared.placement) candidates.add(*shared.placement);
  }
  candidates.choose(static_cast<std::size_t>(std::max(1, options.candidates)), options.measurements,
                    budget, context.incumbent);
}

}  // namespace berth
