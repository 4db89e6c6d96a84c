#include "berth/learn/torch/training.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/learn/torch/checkpoint.h"

namespace berth {

std::vector<CurvePoint> train(Learner& learner, Scorer& scorer, const TrainingOptions& options,
                              Budget& budget, const Rng& rng) {
  std::vector<CurvePoint> curve;
  if (options.resume.empty())
    learner.prepare(scorer, budget, rng.split("prepare"));
  else
    curve = read_checkpoint(options.resume, learner, scorer, options.identity);
  const auto save = [&] {
    if (!options.checkpoint.empty())
      write_checkpoint(options.checkpoint, learner, scorer, curve, options.identity);
  };
  const double began = budget.elapsed();
  const std::uint64_t asked_before = scorer.asked();
  const Rng updates = rng.split("updates");
  for (int k = static_cast<int>(curve.size()); k < options.updates && !budget.spent(); ++k) {
    const double by_count = static_cast<double>(k) / options.updates;
    const Rng stream = updates.split(static_cast<std::uint64_t>(k));
    Rng torch_seed = stream.split("torch");
    torch::manual_seed(torch_seed());
    const UpdateReport report =
        learner.update(scorer, budget, stream, std::max(by_count, budget.fraction()));
    const Duration best = scorer.elite().empty() ? kForever : scorer.elite().front().score.value;
    curve.push_back(
        {k + 1, budget.evaluations(), best, report.reward, report.entropy, report.groups});
    const double rate = static_cast<double>(scorer.asked() - asked_before) /
                        std::max(budget.elapsed() - began, 1e-9);
    Progress progress{
        .phase = fmt::format("update {} reward {:.3g} entropy {:.2f} {:.0f} groups {:.0f}/s", k + 1,
                             report.reward, report.entropy, report.groups, rate),
        .best = {},
        .bound = {},
        .fraction = std::max(static_cast<double>(k + 1) / options.updates, budget.fraction()),
        .evaluations = budget.evaluations()};
    if (best != kForever) progress.best = best;
    budget.report(progress);
    if ((k + 1) % options.checkpoint_every == 0) save();
  }
  save();
  return curve;
}

}  // namespace berth
