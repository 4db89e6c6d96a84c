#include "berth/learn/train.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/base/text.h"
#include "berth/learn/checkpoint.h"
#include "berth/learn/refine.h"
#include "berth/search/annealing.h"

namespace berth {
namespace {

constexpr int kCheckpointEvery = 10;

std::size_t rollouts_within(const Budget& budget, const Plan& plan) {
  const std::size_t wanted = static_cast<std::size_t>(std::max(plan.rollouts, 1));
  return std::clamp<std::size_t>(budget.evaluations_left().value_or(wanted), 1, wanted);
}

// Without limits, as many as suit the problem. A budget of evaluations lasts for all updates: moves
// do not take what later rollouts need.
std::uint64_t moves_within(const Budget& budget, const Plan& plan, const Problem& problem,
                           std::size_t rollouts, double progress) {
  if (plan.refine <= 0) return 0;
  const double updates_left = std::max((1 - progress) * plan.updates, 1.0);
  double most = std::min<double>(
      plan.refine,
      std::max(static_cast<double>(usual_annealing_steps(problem)) / plan.updates, 1.0));
  if (budget.seconds_left()) most = 1e15;  // the clock decides
  const auto left = budget.evaluations_left();
  if (!left) return static_cast<std::uint64_t>(most);
  const double share = static_cast<double>(*left) / updates_left - static_cast<double>(rollouts);
  most =
      std::min({most, std::max(share, static_cast<double>(rollouts)), static_cast<double>(*left)});
  return static_cast<std::uint64_t>(most);
}

// The learner learns and the chains go on, on as many cores as there are.
Metrics learn_and_refine(Learner& learner, Task& task, Refinement refinement,
                         std::span<const Scored> scored, Budget& budget, const Rng& rng,
                         double progress, double until) {
  Metrics metrics;
  std::atomic<bool> has_learned{false};
  if (budget.seconds_left())
    refinement.goes_on = [&] { return !has_learned || budget.elapsed() < until; };
  task.refiner.advance(refinement, progress, rng.split("round"));
  const std::size_t chains =
      refinement.steps > 0 && task.refiner.has_started() ? Refiner::kChains : 0;
  std::vector<std::vector<Scored>> found(chains);
  const std::size_t first = rng.split("order")() % Refiner::kChains;  // has the most of the time
  std::atomic<std::size_t> next{0};
  on_threads(std::min(1 + chains, thread_count(0)), [&](std::size_t worker) {
    if (worker == 0) {
      metrics = learner.learn(task, scored, progress, rng);
      has_learned = true;
    }
    for (std::size_t i = next++; i < chains; i = next++) {
      const std::size_t chain = (first + i) % chains;
      found[chain] = task.refiner.run(chain, refinement, budget, rng.split("chains").split(chain));
    }
  });
  for (const std::vector<Scored>& of_chain : found)
    for (const Scored& placement : of_chain) task.elite.admit(placement);
  return metrics;
}

// What the policy itself has drawn.
void keep_own(Task& task, std::span<const Scored> drawn) {
  for (const Scored& sample : drawn)
    if (sample.score.feasible()) task.own = std::min(task.own, sample.score.value);
}

std::string line_of(const CurvePoint& point) {
  std::string line = fmt::format("update {}", point.update);
  for (const auto& [name, value] : point.metrics) line += fmt::format(" {} {:.3g}", name, value);
  if (point.own != kForever) line += fmt::format(" own {}", time_text(point.own));
  return line;
}

}  // namespace

Metrics update(Learner& learner, Task& task, const Plan& plan, Budget& budget, const Rng& rng,
               double progress) {
  const std::size_t rollouts = rollouts_within(budget, plan);
  const double updates_left = std::max((1 - progress) * plan.updates, 1.0);
  const double until = budget.elapsed() + budget.seconds_left().value_or(0) / updates_left;
  Samples samples = learner.propose(task, rollouts, progress, rng);
  const std::vector<Scored> scored = task.score(std::move(samples.placements), budget);
  keep_own(task, scored);
  if (!budget.spent()) keep_own(task, task.score(std::move(samples.answers), budget));

  const std::uint64_t moves = moves_within(budget, plan, task.problem, rollouts, progress);
  const Refinement refinement{.graph = task.graph,
                              .groups = samples.groups,
                              .samples = scored,
                              .elite = task.elite,
                              .steps = moves / Refiner::kChains};
  Metrics metrics =
      learn_and_refine(learner, task, refinement, scored, budget, rng, progress, until);
  if (!budget.spent()) keep_own(task, task.score(learner.answers(task, progress), budget));
  return metrics;
}

Curve train(Learner& learner, std::span<Task> tasks, const Plan& plan, Budget& budget,
            const Rng& rng) {
  Curve curve;
  if (plan.resume.empty())
    for (Task& task : tasks) learner.prepare(task, budget, rng.split("prepare"));
  else
    curve = read_checkpoint(plan.resume, plan.identity, learner, tasks);
  const auto save = [&] {
    if (!plan.checkpoint.empty())
      write_checkpoint(plan.checkpoint, plan.identity, learner, tasks, curve);
  };
  const double began = budget.elapsed();
  const std::uint64_t before = budget.evaluations();
  const double spent_before = budget.fraction();  // by seeds
  const std::uint64_t resumed = curve.empty() ? before : curve.back().evaluations;
  const Rng updates = rng.split("updates");
  for (int k = static_cast<int>(curve.size()); k < plan.updates && !budget.spent(); ++k) {
    Task& task = tasks[static_cast<std::size_t>(k) % tasks.size()];
    const double spent = (budget.fraction() - spent_before) / std::max(1 - spent_before, 1e-9);
    const double progress = std::max(static_cast<double>(k) / plan.updates, spent);
    Metrics metrics =
        update(learner, task, plan, budget, updates.split(static_cast<std::uint64_t>(k)), progress);
    const std::uint64_t evaluations = budget.evaluations() - before;
    curve.push_back({.update = k + 1,
                     .evaluations = resumed + evaluations,
                     .best = task.elite.empty() ? kForever : task.elite.best().score.value,
                     .own = task.own,
                     .metrics = std::move(metrics)});
    const double rate = static_cast<double>(evaluations) / std::max(budget.elapsed() - began, 1e-9);
    Progress shown{.phase = fmt::format("{} {:.0f}/s", line_of(curve.back()), rate),
                   .best = {},
                   .bound = {},
                   .fraction = static_cast<double>(k + 1) / plan.updates};
    if (!task.elite.empty()) shown.best = curve.back().best;
    budget.report(shown);
    if ((k + 1) % kCheckpointEvery == 0) save();
  }
  save();
  return curve;
}

}  // namespace berth
