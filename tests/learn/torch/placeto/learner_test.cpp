#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "berth/learn/torch/placeto/learner.h"
#include "berth/learn/train.h"
#include "berth/place/run_placer.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch.h"
#include "tests/support/sketch.h"

// LibTorch has a CHECK of its own, which ends the program.
#undef CHECK
#include <doctest/doctest.h>

namespace berth {
namespace {

// As make_placeto does: on small matrices a second thread only waits.
[[maybe_unused]] const bool kOneThread = (torch::set_num_threads(1), true);

// Two branches of `length` nodes between a start and an end, and a node that is on no path.
Problem two_branches(int length, const ExecutionModel& model = {}) {
  Sketch sketch("two branches", 3);
  sketch.set_links(2, 0.1);
  const NodeId start = sketch.node("start", {1, 2, 3}), end = sketch.node("end", {2, 1, 3});
  sketch.node("alone", {4, 3, 2});
  for (int branch = 0; branch < 2; ++branch) {
    NodeId last = start;
    for (int i = 0; i < length; ++i) {
      const NodeId node = sketch.node(fmt::format("b{}_{}", branch, i),
                                      {4.0 + i, 6.0 - i + branch, i == 1 ? kNever : 5.0});
      sketch.tensor(last, 10 + 5 * i, {node});
      last = node;
    }
    sketch.tensor(last, 30, {end});
  }
  sketch.model = model;
  return sketch.build();
}

using Numbers = std::vector<double>;

Numbers added(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
Numbers relu(Numbers x) {
  for (double& value : x) value = std::max(value, 0.0);
  return x;
}

// The network once more, as the header states it: node by node, one placement at a time.
struct NaiveNetwork {
  torch::OrderedDict<std::string, torch::Tensor> parameters;
  const PolicyGraph& graph;
  const VisitOrder& order;
  int rounds;

  Numbers layer(const std::string& name, std::int64_t which, const Numbers& x) const {
    const torch::Tensor weight = parameters[name + ".weight"][which];
    const torch::Tensor bias = parameters[name + ".bias"][which];
    Numbers y;
    for (std::int64_t o = 0; o < weight.size(0); ++o) {
      double sum = bias[o][0].item<double>();
      for (std::size_t i = 0; i < x.size(); ++i)
        sum += weight[o][static_cast<std::int64_t>(i)].item<double>() * x[i];
      y.push_back(sum);
    }
    return y;
  }

  std::vector<Numbers> messages(const std::vector<Numbers>& start, const Adjacency& neighbours,
                                std::int64_t direction) const {
    std::vector<Numbers> x = start;
    for (int round = 0; round < rounds; ++round) {
      std::vector<Numbers> next = start;
      for (std::size_t v = 0; v < x.size(); ++v) {
        if (neighbours[v].empty()) continue;
        Numbers sum(x[v].size(), 0.0);
        for (const std::uint32_t u : neighbours[v])
          sum = added(sum,
                      relu(layer("message1", direction, relu(layer("message0", direction, x[u])))));
        next[v] = added(
            start[v], relu(layer("message3", direction, relu(layer("message2", direction, sum)))));
      }
      x = next;
    }
    return x;
  }

  // f of a relation; its first layer stands beside those of the others.
  Numbers sent(std::size_t relation, const Numbers& z) const {
    const Numbers all = relu(layer("pool0", 0, z));
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(relation * z.size());
    return relu(layer("pool1", static_cast<std::int64_t>(relation),
                      Numbers(begin, begin + static_cast<std::ptrdiff_t>(z.size()))));
  }

  Numbers logits(const std::vector<Numbers>& features, std::uint32_t visited) const {
    std::vector<Numbers> start;
    for (const Numbers& x : features)
      start.push_back(layer("in2", 0, relu(layer("in1", 0, relu(layer("in0", 0, x))))));
    std::vector<Numbers> z = messages(start, graph.predecessors, 0);
    const std::vector<Numbers> back = messages(start, graph.successors, 1);
    for (std::size_t v = 0; v < z.size(); ++v)
      z[v].insert(z[v].end(), back[v].begin(), back[v].end());
    Numbers seen = z[visited];
    for (std::size_t relation = 0; relation < 3; ++relation) {
      Numbers sum(z[visited].size(), 0.0);
      bool any = false;
      for (std::uint32_t u = 0; u < z.size(); ++u)
        if (order.relation(visited, u) == static_cast<Relation>(relation)) {
          sum = added(sum, sent(relation, z[u]));
          any = true;
        }
      const std::int64_t which = static_cast<std::int64_t>(relation);
      Numbers taken = relu(layer("pool3", which, relu(layer("pool2", which, sum))));
      if (!any) taken.assign(taken.size(), 0.0);
      seen.insert(seen.end(), taken.begin(), taken.end());
    }
    return layer("out2", 0, relu(layer("out1", 0, relu(layer("out0", 0, seen)))));
  }
};

struct SmallNetwork {
  static constexpr std::int64_t kFeatures = 5, kDevices = 3, kSteps = 3, kEpisodes = 2;
  static constexpr int kRounds = 3;
  Problem problem = two_branches(2);
  PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
  VisitOrder order{graph.successors};
  PlacetoNetwork network{nullptr};
  torch::Tensor x;

  SmallNetwork() {
    torch::manual_seed(11);
    network = PlacetoNetwork(kFeatures, kDevices, kRounds);
    network->to(torch::kDouble);
    x = torch::randn({kFeatures, static_cast<std::int64_t>(graph.size()), kSteps, kEpisodes},
                     torch::kDouble);
  }
  torch::Tensor logits(std::size_t first) {
    return network(x, PlacetoGraph(graph), PlacetoVisits(order, first, kSteps));
  }
};

TEST_CASE("the network is what its header states, for every node that is visited") {
  SmallNetwork small;
  const NaiveNetwork naive{small.network->named_parameters(), small.graph, small.order,
                           SmallNetwork::kRounds};
  REQUIRE(small.order.size() == 7);
  for (const std::size_t first : {0, 3, 4}) {
    const torch::Tensor logits = small.logits(first);
    for (std::int64_t s = 0; s < SmallNetwork::kSteps; ++s)
      for (std::int64_t w = 0; w < SmallNetwork::kEpisodes; ++w) {
        std::vector<Numbers> features;
        for (std::int64_t v = 0; v < small.x.size(1); ++v) {
          Numbers& row = features.emplace_back();
          for (std::int64_t f = 0; f < SmallNetwork::kFeatures; ++f)
            row.push_back(small.x[f][v][s][w].item<double>());
        }
        const Numbers expected =
            naive.logits(features, small.order[first + static_cast<std::size_t>(s)]);
        for (std::int64_t d = 0; d < SmallNetwork::kDevices; ++d)
          CHECK(logits[d][s][w].item<double>() ==
                doctest::Approx(expected[static_cast<std::size_t>(d)]).epsilon(1e-9));
      }
  }
}

TEST_CASE("the gradient of the network agrees with differences") {
  SmallNetwork small;
  const torch::Tensor mix = torch::randn(
      {SmallNetwork::kDevices, SmallNetwork::kSteps, SmallNetwork::kEpisodes}, torch::kDouble);
  const auto loss = [&] { return (torch::log_softmax(small.logits(1), 0) * mix).sum(); };
  small.network->zero_grad();
  loss().backward();
  int moved = 0;
  for (const auto& item : small.network->named_parameters()) {
    CAPTURE(item.key());
    const torch::Tensor gradient = item.value().grad().reshape({-1}).clone();
    const torch::NoGradGuard off;
    torch::Tensor flat = item.value().data().view({-1});
    for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(flat.numel() / 5, 1)) {
      constexpr double kStep = 1e-6;
      const double before = flat[i].item<double>();
      flat[i] = before + kStep;
      const double above = loss().item<double>();
      flat[i] = before - kStep;
      const double below = loss().item<double>();
      flat[i] = before;
      const double slope = (above - below) / (2 * kStep);
      moved += std::abs(slope) > 1e-6 ? 1 : 0;
      CHECK(gradient[i].item<double>() == doctest::Approx(slope).epsilon(1e-4).scale(1e-3));
    }
  }
  CHECK(moved > 30);
}

PlacetoOptions small_options() {
  PlacetoOptions options;
  options.groups = 6;
  return options;
}

TEST_CASE("the rewards of an episode add up to what it has gained") {
  Task task(two_branches(4), Colocation::kUnits, 4);
  PlacetoLearner learner(small_options(), task, 7);
  Budget budget;
  learner.prepare(task, budget, Rng(1));
  const std::uint64_t before = budget.evaluations();
  constexpr std::size_t kEpisodes = 3;
  const std::vector<Scored> seen = learner.play(task, kEpisodes, 0, budget, Rng(2));
  REQUIRE(seen.size() == 1 + kEpisodes * learner.order().size());
  CHECK(budget.evaluations() - before == seen.size());
  Evaluator evaluator(task.problem);
  const auto value = [&](const Scored& scored) {
    return evaluator(spread(task.graph, scored.devices)).value.count();
  };
  for (std::size_t i = 0; i < kEpisodes; ++i) {
    std::vector<double> costs{relative_cost(seen.front().score, task.reference)};
    for (std::size_t t = 0; t < learner.order().size(); ++t)
      costs.push_back(relative_cost(seen[1 + t * kEpisodes + i].score, task.reference));
    double sum = 0;
    for (const double reward : step_returns(costs, 0)) sum += reward;
    const Scored& last = seen[seen.size() - kEpisodes + i];
    CHECK(sum * task.reference.count() ==
          doctest::Approx(value(seen.front()) - value(last)).epsilon(1e-9).scale(1));
  }
}

// Step t moves group t of the order and nothing else.
TEST_CASE("an episode visits every group once, and draws only devices that may run it") {
  for (const char* name : {"unsupported-op", "apart", "tight-memory"}) {
    CAPTURE(name);
    Task task(fixtures::small_problem(name), Colocation::kUnits, 4);
    PlacetoLearner learner(small_options(), task, 3);
    Budget budget;
    learner.prepare(task, budget, Rng(1));
    for (std::uint64_t round = 0; round < 20; ++round) {
      const std::vector<Scored> seen = learner.play(task, 2, 0, budget, Rng(round));
      for (const Scored& scored : seen)
        for (std::uint32_t set = 0; set < task.graph.size(); ++set)
          REQUIRE(task.graph.may_use(set, scored.devices[set]));
      for (std::size_t t = 0; t < learner.order().size(); ++t) {
        const Scored& from = t == 0 ? seen[0] : seen[1 + (t - 1) * 2];
        for (const NodeId node : task.problem.graph().nodes())
          if (learner.graph().set_of[node] != learner.order()[t])
            REQUIRE(seen[1 + t * 2].devices[task.graph.set_of[node]] ==
                    from.devices[task.graph.set_of[node]]);
      }
      learner.learn(task, seen, 0.5, Rng(round));
    }
  }
}

double mean_reward(const Curve& curve, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t k = first; k < first + count; ++k) {
    REQUIRE(curve[k].metrics.front().first == "reward");
    sum += curve[k].metrics.front().second / static_cast<double>(count);
  }
  return sum;
}

// Six nodes in a row, the second device three times as fast. Episodes start there, so that nothing
// can be gained and an untrained policy loses: it moves every other node away. What it learns is to
// leave them.
TEST_CASE("where one device is faster, later episodes lose less than the first") {
  Sketch sketch("row", 2);
  sketch.set_links(0, 0);
  NodeId last = sketch.node("n0", {3, 1});
  for (int i = 1; i < 6; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), {3, 1});
    sketch.tensor(last, 1, {node});
    last = node;
  }
  Task task(sketch.build(), Colocation::kUnits, 4);
  PlacetoLearner learner(PlacetoOptions{}, task, 5);
  Budget budget;
  const Curve curve =
      train(learner, {&task, 1}, {.updates = 60, .rollouts = 8, .refine = 0}, budget, Rng(4));
  CHECK(mean_reward(curve, 0, 5) < -0.1);
  CHECK(mean_reward(curve, 55, 5) > mean_reward(curve, 0, 5) / 4);
}

Outcome run(const std::string& spec, const Problem& problem, Budget& budget) {
  return run_method(spec, problem, budget, Rng(1));
}
Outcome run(const std::string& spec, const Problem& problem) {
  Budget budget;
  return run(spec, problem, budget);
}

TEST_CASE("one seed gives one training, and a checkpoint goes on as if nothing had happened") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  const std::string spec = "placeto(updates=5,rollouts=3,groups=6";
  const Problem problem = two_branches(4);
  const Outcome whole = run(spec + ")", problem);
  CHECK(whole == run(spec + ")", problem));
  REQUIRE(whole.placement);
  std::atomic<bool> stop{false};
  Budget interrupted({}, &stop, [&](const Progress& progress) {
    if (progress.phase.starts_with("update 3 ")) stop = true;
  });
  const Outcome half = run(fmt::format("{},checkpoint={})", spec, file), problem, interrupted);
  REQUIRE(half.curve.size() == 3);
  CHECK(run(fmt::format("{},resume={})", spec, file), problem) == whole);
}

TEST_CASE("a seeded training returns nothing worse than a seed") {
  const Problem problem = two_branches(4);
  Evaluator evaluator(problem);
  const Duration seed = evaluator(*run("heft", problem).placement).value;
  const Outcome outcome = run("placeto(seeds=true,updates=2,rollouts=2)", problem);
  REQUIRE(outcome.placement);
  CHECK(evaluator(*outcome.placement).value <= seed);
}

// Six rows of six nodes on two equal devices, a transfer inside a row as long as two nodes: half of
// the rows on each device take half the time of one device, and nearly all that is drawn node by
// node cuts every row.
TEST_CASE("placeto beats as many random placements where cuts are dear") {
  Sketch sketch("rows", 2);
  const NodeId start = sketch.node("start", {1, 1}), end = sketch.node("end", {1, 1});
  for (int row = 0; row < 6; ++row) {
    NodeId last = start;
    for (int i = 0; i < 6; ++i) {
      const NodeId node = sketch.node(fmt::format("r{}_{}", row, i), {10, 10});
      sketch.tensor(last, i == 0 ? 1 : 20, {node});
      last = node;
    }
    sketch.tensor(last, 1, {end});
  }
  const Problem problem = sketch.build();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const auto value = [&](const char* spec) {
      Budget budget({.seconds = {}, .evaluations = 600});
      return run_placer(spec, problem, seed, budget).simulation.value().value;
    };
    CHECK(value("placeto(groups=8)") < value("random(samples=600)"));
  }
}

TEST_CASE("every execution model can be trained for, within a budget") {
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    if (problem.unplaceable()) continue;
    Budget budget({.seconds = {}, .evaluations = 100});
    const Outcome outcome = run("placeto(rollouts=4)", problem, budget);
    CHECK(budget.evaluations() <= 100);
    CHECK(outcome.curve.size() >= 2);
  }
}

}  // namespace
}  // namespace berth

#endif
