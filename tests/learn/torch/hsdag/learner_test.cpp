#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/torch/hsdag/learner.h"
#include "berth/learn/train.h"
#include "berth/place/registry.h"
#include "berth/place/seeds.h"
#include "tests/learn/torch/check_gradients.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// Branches that join again, unequal devices: 3 blocks of 4 parallel nodes.
Problem branching(const ExecutionModel& model = {}) {
  Sketch sketch("branching", 2, 1);
  sketch.set_links(1, 0.01);
  NodeId last = sketch.node("start", {1, 1});
  sketch.at(last).op_type = "Parameter";
  for (int block = 0; block < 3; ++block) {
    std::vector<NodeId> branch;
    for (int i = 0; i < 4; ++i) {
      branch.push_back(sketch.node(
          std::string("b").append(std::to_string(block)).append("_").append(std::to_string(i)),
          {4.0 + i, 8.0 - i}));
      sketch.at(branch.back()).op_type = i % 2 == 0 ? "Convolution" : "MatMul";
    }
    const NodeId join = sketch.node(std::string("join").append(std::to_string(block)), {1, 2});
    sketch.at(join).op_type = "Concat";
    sketch.tensor(last, 50, branch);
    for (const NodeId node : branch) sketch.tensor(node, 20, {join});
    last = join;
  }
  sketch.model = model;
  return sketch.build();
}

std::int64_t parameters(torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& tensor : network.parameters()) count += tensor.numel();
  return count;
}

TEST_CASE("the paper's network has as many parameters as its layers say") {
  const HsdagOptions paper = HsdagOptions::of(HsdagPreset::kPaper);
  for (const auto& [features, devices] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{17, 2}, {30, 2}, {17, 5}, {64, 3}}) {
    HsdagNetwork network(paper, HsdagWidths{.features = features, .devices = devices});
    CHECK(parameters(*network) == 141076 + 385 * (features - 17) + 129 * (devices - 2));
  }
}

TEST_CASE("gradients of the graph layers and of softmax within segments are right") {
  torch::manual_seed(3);
  const PolicyGraph graph = policy_graph(branching());
  const GraphIndex index(graph);
  const torch::Tensor x = torch::randn({index.nodes, 6}, torch::kDouble);
  const torch::Tensor mix = torch::randn({index.nodes, 6}, torch::kDouble);
  Gcn gcn(6);
  check_gradients(*gcn, [&] { return (gcn(x, index) * mix).sum(); });
  Directed directed(6);
  check_gradients(*directed, [&] { return (directed(x, index) * mix).sum(); });

  torch::Tensor logits = torch::randn({7}, torch::kDouble).requires_grad_();
  const torch::Tensor logs = segment_log_softmax(logits, index_tensor({0, 2, 5, 7}));
  CHECK(logs.slice(0, 0, 2).exp().sum().item<double>() == doctest::Approx(1));
  CHECK(logs.slice(0, 2, 5).exp().sum().item<double>() == doctest::Approx(1));
  const torch::Tensor picked = torch::log_softmax(logits.slice(0, 2, 5), 0);
  CHECK(logs.slice(0, 2, 5).allclose(picked));
  const torch::Tensor by_segment = torch::autograd::grad({logs[3]}, {logits})[0];
  const torch::Tensor by_slice = torch::autograd::grad({picked[1]}, {logits})[0];
  CHECK(by_segment.allclose(by_slice));
}

TEST_CASE("a batch of graphs passes the layers as each graph alone does") {
  torch::manual_seed(4);
  const PolicyGraph graph = policy_graph(branching());
  const GraphIndex index(graph);
  Gcn gcn(5);
  Directed directed(5);
  const torch::Tensor x = torch::randn({3, index.nodes, 5});
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(gcn(x, index)[i].allclose(gcn(x[i], index), 1e-5, 1e-6));
    CHECK(directed(x, index)[i].allclose(directed(x[i], index), 1e-5, 1e-6));
  }
}

TEST_CASE("permuting devices permutes the logits of the scaled head") {
  torch::manual_seed(5);
  HsdagNetwork network(
      HsdagOptions{},
      HsdagWidths{
          .features = 4, .types = 2, .devices = 3, .device_features = 8, .pair_features = 3});
  const torch::Tensor pooled = torch::randn({6, 128}), device = torch::randn({3, 8}),
                      pair = torch::randn({6, 3, 3});
  const torch::Tensor turn = index_tensor({2, 0, 1});
  CHECK(network->device_logits(pooled, device, pair)
            .index_select(1, turn)
            .allclose(network->device_logits(pooled, device.index_select(0, turn),
                                             pair.index_select(1, turn)),
                      1e-5, 1e-6));
}

TEST_CASE("equal devices are told apart by the placement that is improved, and by nothing else") {
  Sketch sketch("row", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.tensor(a, 10, {b});
  const Task task(sketch.build(), Colocation::kUnits, 1);
  HsdagPolicy policy(HsdagOptions{}, task, 7);
  const SetDevices base{0, 1};
  const HsdagPolicy::Encoding encoding = policy.encode(policy.features(), 1.0);
  Rng rng(1);
  Rollouts rollouts = policy.draw_parts(encoding, base, std::vector<SetGroup>{{0}, {1}}, rng);
  REQUIRE(rollouts.groups() == 2);
  const torch::Tensor blind = policy.devices(encoding, policy.index(rollouts)).log;
  CHECK(blind.allclose(torch::full({2, 2}, std::log(0.5))));
  const torch::Tensor log = policy.devices(encoding, policy.index(rollouts, &base)).log;
  CHECK(log[0][0].item<double>() > log[0][1].item<double>());
  CHECK(log[1][1].item<double>() > log[1][0].item<double>());
  // What comes out as the base is changed: the same again tells nothing.
  rollouts.set_devices(std::vector<std::int64_t>{0, 1});
  policy.draw_changes(log, base, rollouts, rng);
  CHECK(rollouts.placements == std::vector<SetDevices>{{1, 1}, {0, 0}});
}

Outcome run(const std::string& spec, const Problem& problem, Budget& budget) {
  return run_method(spec, problem, budget, Rng(1));
}
Outcome run(const std::string& spec, const Problem& problem) {
  Budget budget;
  return run(spec, problem, budget);
}

TEST_CASE("one seed gives one training, for both presets") {
  const Problem problem = branching();
  for (const char* spec :
       {"hsdag(updates=4,rollouts=8,seeds=false)", "hsdag(preset=paper,updates=2,rollouts=6)",
        "hsdag(preset=paper,grouping=sampled,updates=2,rollouts=5)",
        "hsdag(preset=paper,all_levels=true,updates=2,rollouts=5)",
        "hsdag(renewal=true,updates=2,rollouts=4)"}) {
    CAPTURE(spec);
    const Outcome first = run(spec, problem), second = run(spec, problem);
    CHECK(first == second);
    CHECK(first.placement);
    CHECK(first.curve.size() >= 2);
  }
}

TEST_CASE("training from a checkpoint ends where an uninterrupted one ends") {
  const Problem problem = branching();
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  const Outcome whole = run("hsdag(updates=6,rollouts=8,seeds=false)", problem);
  // Stopped after three updates by the budget; the options are those of the whole training.
  std::atomic<bool> stop{false};
  Budget interrupted({}, &stop, [&](const Progress& progress) {
    if (progress.phase.starts_with("update 3 ")) stop = true;
  });
  const Outcome half =
      run("hsdag(updates=6,rollouts=8,seeds=false,checkpoint=" + file + ")", problem, interrupted);
  REQUIRE(half.curve.size() == 3);
  CHECK(run("hsdag(updates=6,rollouts=8,seeds=false,resume=" + file + ")", problem) == whole);
  CHECK_THROWS_WITH_AS(run("hsdag(updates=5,rollouts=8,seeds=false,resume=" + file + ")", problem),
                       doctest::Contains("belongs to"), Error);
}

TEST_CASE("a seeded training never ends worse than its best seed") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    const Problem problem = fixtures::random_problem(rng);
    if (problem.unplaceable()) continue;
    Budget budget;
    Incumbent known(problem, budget, "seeds");
    const std::vector<Seed> seeds =
        collect_seeds(usual_seeds(problem), Context(problem, known, budget, Rng(1).split("seeds")));
    if (seeds.empty() || !seeds.front().score.feasible()) continue;
    const Outcome outcome = run("hsdag(updates=2,rollouts=8,imitation=10)", problem);
    REQUIRE(outcome.placement);
    CHECK_FALSE(seeds.front().score < Evaluator(problem)(*outcome.placement));
  }
}

TEST_CASE("without seeds the policy learns: later updates are better than the first") {
  const Outcome outcome = run("hsdag(updates=40,rollouts=32,seeds=false)", branching(Sequential{}));
  const auto reward = [&](std::size_t update) {
    REQUIRE(outcome.curve[update].metrics.front().first == "reward");
    return outcome.curve[update].metrics.front().second;
  };
  double first = 0, last = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    first += reward(i);
    last += reward(outcome.curve.size() - 1 - i);
  }
  CHECK(last > first);
}

TEST_CASE("sampled groups are learned, with features renewed from step to step as well") {
  Task task(branching(), Colocation::kChains, 1);
  task.reference = Duration{60};
  for (const bool renewal : {false, true}) {
    CAPTURE(renewal);
    HsdagOptions options;
    options.renewal = renewal;
    options.epochs = 1;
    options.entropy = 0;
    options.elite = 0;
    HsdagLearner learner(options, task, 7);
    Budget budget;
    update(learner, task, {.rollouts = 6}, budget, Rng(3), 0.0);
    const torch::Tensor gradient = learner.network().named_parameters()["stay.weight"].grad();
    REQUIRE(gradient.defined());
    CHECK(gradient.abs().max().item<double>() > 0);
  }
}

TEST_CASE("the losses of the first ten updates are the recorded ones") {
  Task task(branching(), Colocation::kChains, 16);
  task.reference = Duration{60};
  HsdagOptions options;
  options.epochs = 1;
  torch::set_num_threads(1);
  HsdagLearner learner(options, task, 7);
  Budget budget;
  std::vector<double> losses;
  for (std::uint64_t k = 0; k < 10; ++k) {
    update(learner, task, {.rollouts = 8}, budget, Rng(9).split(k), 0.1 * static_cast<double>(k));
    losses.push_back(learner.losses().front());
  }
  const std::vector<double> recorded{0.0885138,   0.262274,    0.0447528,  -0.00625829, 0.000707911,
                                     -0.00361743, -0.00272973, 0.00511274, -0.00696333, -0.0312254};
  for (std::size_t k = 0; k < losses.size(); ++k)
    CHECK(losses[k] == doctest::Approx(recorded[k]).epsilon(1e-3));
}

}  // namespace
}  // namespace berth

#endif
