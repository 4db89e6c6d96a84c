// What the paper says about its graphs and groups, on the networks of the zoo; and what a learned
// placer must beat.
#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/policy_graph.h"
#include "berth/place/run_placer.h"
#include "berth/runtime/runtime.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"
#include "tests/support/unpacked_model.h"

namespace berth {
namespace {

#if BERTH_HAS_OPENVINO

// Every operator of the file, constants and conversions included, all times equal.
Problem file_problem(const ModelSource& source) {
  const std::unique_ptr<Model> model = openvino_runtime().open(source);
  Graph graph = model->raw_graph();
  const std::size_t nodes = graph.node_count();
  return Problem(source.spec, std::move(graph), Cluster({{.name = "cpu"}, {.name = "gpu"}}),
                 {NodeTimes(nodes, 2, Duration{1}), {}});
}
Problem file_problem(const std::string& spec) {
  return file_problem({.spec = spec, .batch = {}, .shapes = {}, .values = false});
}

// Groups of the first update: the weights are untrained.
double untrained_groups(const Problem& problem, const std::string& options, std::uint64_t seed) {
  const Result result = run_placer(
      fmt::format("hsdag(preset=paper,renewal=false,updates=1,rollouts=1,epochs=1,{})", options),
      problem, seed);
  REQUIRE(result.curve.size() == 1);
  const auto& [name, groups] = result.curve.front().metrics.back();
  REQUIRE(name == "groups");
  return groups;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median of five drawings of weights and dropout; single drawings scatter a little wider than
// the ranges, which come from other random numbers.
double median_groups(const Problem& problem, const std::string& colocation) {
  std::vector<double> counts;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    counts.push_back(untrained_groups(problem, "colocation=" + colocation, seed));
  return median(std::move(counts));
}

TEST_CASE("ResNet-50 is co-located to as many sets and edges as the paper's rule gives") {
  const Problem problem = file_problem("zoo:resnet-50");
  CHECK(problem.node_count() == 396);
  CHECK(problem.graph().edge_count() == 411);
  const PolicyGraph graph = policy_graph(problem, Colocation::kChains);
  CHECK(graph.size() == 237);
  CHECK(graph.edges.size() == 252);
}

TEST_CASE("one level of parsing makes as many groups as measured with untrained weights") {
  const double resnet = median_groups(file_problem("zoo:resnet-50"), "chains");
  CHECK(resnet >= 40);
  CHECK(resnet <= 64);
  const Problem problem = file_problem("zoo:inception-v3");
  CHECK(policy_graph(problem, Colocation::kParents).size() == 424);
  const double inception = median_groups(problem, "parents");
  CHECK(inception >= 93);
  CHECK(inception <= 108);
}

TEST_CASE("BERT with fused attention, as exporters write it now, makes the measured groups too") {
  const auto xml = shared_data("ir/bert_base.xml");
  if (!xml) return;
  const Scratch scratch;
  const Problem problem = file_problem({.spec = unpacked(*xml, scratch).string(),
                                        .batch = {},
                                        .shapes = {{"ids", {1, 128}}, {"mask", {1, 128}}}});
  // 533 where the shapes are open; known ones drop a few operators.
  CHECK(policy_graph(problem, Colocation::kParents).size() == 530);
  const double groups = median_groups(problem, "parents");
  CHECK(groups >= 119);
  CHECK(groups <= 140);
}

TEST_CASE("all levels of parsing end with one group") {
  for (const char* spec : {"zoo:resnet-50", "zoo:inception-v3", "zoo:bert-base"}) {
    CAPTURE(spec);
    CHECK(untrained_groups(file_problem(spec), "dropout=0,all_levels=true", 1) == 1);
  }
}

#endif

// Blocks of four branches that join again; which device is faster differs from branch to branch.
Problem blocks(int count, const ExecutionModel& model) {
  Sketch sketch("blocks", 2, 1);
  sketch.set_links(1, 0.01);
  NodeId last = sketch.node("start", {1, 1});
  for (int block = 0; block < count; ++block) {
    std::vector<NodeId> branch;
    for (int i = 0; i < 4; ++i)
      branch.push_back(
          sketch.node(fmt::format("b{}_{}", block, i), {4.0 + i + block % 3, 8.0 - i + block % 2}));
    const NodeId join = sketch.node(fmt::format("join{}", block), {1, 2});
    sketch.tensor(last, 50, branch);
    for (const NodeId node : branch) sketch.tensor(node, 20, {join});
    last = join;
  }
  sketch.model = model;
  return sketch.build();
}

double median_of_five(const std::string& spec, const Problem& problem, std::uint64_t evaluations) {
  std::vector<double> values;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Budget budget({.seconds = {}, .evaluations = evaluations});
    const Result result = run_placer(spec, problem, seed, budget);
    REQUIRE(result.simulation);
    values.push_back(result.simulation->value.count());
  }
  std::sort(values.begin(), values.end());
  return values[2];
}

TEST_CASE(
    "without seeds, the median of five trainings beats random placements at equal evaluations") {
  for (const ExecutionModel& model : {ExecutionModel(Sequential{}), ExecutionModel(Concurrent{})}) {
    const Problem problem = blocks(8, model);
    const double learned = median_of_five("hsdag(seeds=false,rollouts=16)", problem, 600);
    CHECK(learned < median_of_five("random", problem, 600));
    CHECK(learned < median_of_five("random(unit=parsing)", problem, 600));
  }
}

TEST_CASE("without seeds, sequential execution comes within one per cent of the minimum cut") {
  const Problem problem = blocks(8, Sequential{});
  const Result cut = run_placer("sequential-cut", problem);
  REQUIRE(cut.proven_optimal);
  CHECK(median_of_five("hsdag(seeds=false,rollouts=16)", problem, 1500) <=
        1.01 * cut.simulation->value.count());
}

TEST_CASE("placements that cannot be run cannot be measured, and that is said in one line") {
  CHECK_THROWS_WITH_AS(run_placer("hsdag(reward=measured)", blocks(1, Concurrent{})),
                       doctest::Contains("expected a model"), Error);
}

// A machine on which the second device is twice as slow as the simulator thinks.
TEST_CASE("real runs decide, and are counted") {
  const Problem problem = blocks(4, Concurrent{});
  NodeTimes times = problem.costs().times;
  for (const NodeId node : problem.graph().nodes())
    times.set(node, DeviceId{1}, 2 * times(node, DeviceId{1}));
  const Problem truth(problem.name(), problem.graph(), problem.cluster(), {times, {}}, {},
                      problem.model());
  Evaluator machine(truth);
  Budget budget;
  budget.set_meter([&](const Placement& placement) { return machine(placement).value; });
  const Result result =
      run_placer("hsdag(reward=measured,measurements=60,updates=5,rollouts=8)", problem, 1, budget);
  REQUIRE(result.placement);
  CHECK(result.measurements > 20);
  CHECK(result.measurements <= 60);
  REQUIRE(result.measured);
  CHECK(*result.measured == machine(*result.placement).value);
  // Never worse than a single device, and than what the simulator alone would have chosen.
  for (const DeviceId device : problem.devices())
    CHECK(*result.measured <= machine(on_one_device(problem, device)).value);
  const Result simulated = run_placer("hsdag(updates=5,rollouts=8)", problem);
  CHECK(simulated.measurements == 0);
  CHECK(*result.measured <= machine(*simulated.placement).value);
}

}  // namespace
}  // namespace berth

#endif
