#include "berth/learn/train.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/learn/checkpoint.h"
#include "berth/learn/refine.h"

namespace berth {
namespace {

constexpr int kCheckpointEvery = 10;
constexpr double kHot = 0.003;  // temperature of the first refinement; the last is cold

std::size_t rollouts_within(const Budget& budget, const Plan& plan) {
  const std::size_t wanted = static_cast<std::size_t>(std::max(plan.rollouts, 1));
  return std::clamp<std::size_t>(budget.evaluations_left().value_or(wanted), 1, wanted);
}

// A budget of evaluations lasts for all updates: moves do not take what later rollouts need.
int moves_within(const Budget& budget, const Plan& plan, std::size_t rollouts, double progress) {
  const auto left = budget.evaluations_left();
  if (!left) return plan.refine;
  const double updates_left = std::max((1 - progress) * plan.updates, 1.0);
  const double share = static_cast<double>(*left) / updates_left - static_cast<double>(rollouts);
  return static_cast<int>(
      std::min<double>(plan.refine, std::max(share, static_cast<double>(rollouts))));
}

std::string line_of(const CurvePoint& point) {
  std::string line = fmt::format("update {}", point.update);
  for (const auto& [name, value] : point.metrics) line += fmt::format(" {} {:.3g}", name, value);
  return line;
}

}  // namespace

Metrics update(Learner& learner, Task& task, const Plan& plan, Budget& budget, const Rng& rng,
               double progress) {
  const std::size_t rollouts = rollouts_within(budget, plan);
  Samples samples;
  std::vector<Scored> scored = learner.play(task, rollouts, progress, budget, rng);
  for (const Scored& played : scored) task.elite.admit(played);
  if (scored.empty()) {
    samples = learner.propose(task, rollouts, progress, rng);
    scored = task.score(std::move(samples.placements), budget);
  }
  if (!budget.spent()) task.score(std::move(samples.answers), budget);

  const Refinement refinement{.groups = samples.groups,
                              .samples = scored,
                              .moves = moves_within(budget, plan, rollouts, progress),
                              .temperature = kHot * (1 - progress)};
  Metrics metrics;
  Elite elite = task.elite;
  on_threads(refinement.moves > 0 ? 2 : 1, [&](std::size_t worker) {
    if (worker == 0)
      metrics = learner.learn(task, scored, progress, rng);
    else
      elite = refined_elite(task, refinement, budget, rng.split("refine"));
  });
  task.elite = std::move(elite);

  if (!budget.spent()) task.score(learner.answers(task, progress), budget);
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
  const std::uint64_t resumed = curve.empty() ? before : curve.back().evaluations;
  const Rng updates = rng.split("updates");
  for (int k = static_cast<int>(curve.size()); k < plan.updates && !budget.spent(); ++k) {
    Task& task = tasks[static_cast<std::size_t>(k) % tasks.size()];
    const double progress = std::max(static_cast<double>(k) / plan.updates, budget.fraction());
    Metrics metrics =
        update(learner, task, plan, budget, updates.split(static_cast<std::uint64_t>(k)), progress);
    const std::uint64_t evaluations = budget.evaluations() - before;
    curve.push_back({.update = k + 1,
                     .evaluations = resumed + evaluations,
                     .best = task.elite.empty() ? kForever : task.elite.best().score.value,
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
