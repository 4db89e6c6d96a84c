#include "berth/learn/task.h"

#include <algorithm>

namespace berth {
namespace {

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

}  // namespace

Task::Task(const Problem& given, Colocation colocation, std::size_t elite_size)
    : problem(given),
      graph(policy_graph(given, colocation)),
      environment(given, graph),
      elite(elite_size),
      refiner(given, graph),
      reference(single_device_value(given)) {}

std::vector<Scored> Task::score(std::vector<SetDevices> placements, Budget& budget) {
  const std::vector<Score> scores = environment.score(placements, budget);
  std::vector<Scored> result;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    result.push_back({std::move(placements[i]), scores[i]});
    elite.admit(result.back());
  }
  return result;
}

}  // namespace berth
