#include "berth/learn/environment.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/learn/task.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// So long that a batch is worth several threads.
Problem long_chain() {
  Sketch sketch("chain", 2);
  NodeId last{};
  for (int i = 0; i < 2500; ++i) {
    const NodeId node = sketch.node("n" + std::to_string(i), {1.0 + i % 3, 3.0 - i % 3});
    if (i > 0) sketch.tensor(last, 1, {node});
    last = node;
  }
  sketch.model = Sequential{};
  return sketch.build();
}

std::vector<SetDevices> random_batch(const PolicyGraph& graph, std::size_t size, Rng& rng) {
  std::vector<SetDevices> batch(size, SetDevices(graph.size()));
  for (SetDevices& devices : batch)
    for (std::uint32_t& device : devices)
      device = static_cast<std::uint32_t>(rng.below(graph.device_count));
  return batch;
}

TEST_CASE("scores and counts do not depend on the number of threads, batch after batch") {
  const Problem problem = long_chain();
  const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
  Rng rng(1);
  std::vector<std::vector<SetDevices>> batches;
  for (int i = 0; i < 3; ++i) batches.push_back(random_batch(graph, 9, rng));
  batches[2][4] = batches[0][1];
  Evaluator evaluator(problem);
  for (const int threads : {0, 1, 2, 5}) {
    Environment environment(problem, graph, threads);
    Budget budget;
    for (const std::vector<SetDevices>& batch : batches) {
      std::vector<Score> expected;
      for (const SetDevices& devices : batch) expected.push_back(evaluator(spread(graph, devices)));
      CHECK(environment.score(batch, budget) == expected);
    }
    CHECK(environment.simulated() == 26);
    CHECK(budget.evaluations() == 27);
  }
}

TEST_CASE("a placement that comes again is not simulated again, but counts") {
  const Problem& problem = fixtures::small_problem("fork-join");
  const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
  Environment environment(problem, graph);
  Budget budget;
  const SetDevices all(graph.size(), 0);
  const std::vector<SetDevices> batch{all, all, all};
  const std::vector<Score> scores = environment.score(batch, budget);
  CHECK(scores == std::vector<Score>(3, Evaluator(problem)(spread(graph, all))));
  CHECK(environment.score({&all, 1}, budget).front() == scores.front());
  CHECK(environment.simulated() == 1);
  CHECK(budget.evaluations() == 4);
}

TEST_CASE("placements of nodes that must be apart overflow") {
  const Problem& problem = fixtures::small_problem("apart");
  Task task(problem, Colocation::kUnits, 4);
  Budget budget;
  const std::vector<Scored> scored = task.score({SetDevices(task.graph.size(), 0)}, budget);
  CHECK(scored.front().score.overflow >= 1);
  CHECK(task.elite.empty());
}

TEST_CASE("the elite keeps the best distinct placements that fit, best first") {
  const auto scored = [](std::uint32_t device, double value, double overflow = 0) {
    return Scored{{device}, {.value = Duration{value}, .overflow = overflow}};
  };
  Elite elite(3);
  for (const Scored& found : {scored(0, 5), scored(1, 4), scored(2, 1, 0.5), scored(1, 4),
                              scored(3, 4), scored(4, 6), scored(5, 3)})
    elite.admit(found);
  CHECK(elite.members() == std::vector<Scored>{scored(5, 3), scored(1, 4), scored(3, 4)});
  CHECK(Elite(0).empty());
}

TEST_CASE("values are told relative to the best device alone") {
  Sketch sketch("two", 2);
  sketch.node("a", {1, 5});
  sketch.node("b", {6, 3});
  sketch.model = Sequential{};
  CHECK(Task(sketch.build(), Colocation::kUnits, 1).reference == Duration{7});
  sketch.node("c", {kNever, 1});
  sketch.node("d", {1, kNever});  // no device runs all: 1 + 3 + 1 + 1
  CHECK(Task(sketch.build(), Colocation::kUnits, 1).reference == Duration{6});
}

}  // namespace
}  // namespace berth
