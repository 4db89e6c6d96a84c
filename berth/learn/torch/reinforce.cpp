#include "berth/learn/torch/reinforce.h"

#include <numeric>
#include <utility>

#include "berth/learn/torch/state.h"

namespace berth {
namespace {

constexpr double kLargestNorm = 1.0;  // of a gradient

}  // namespace

ReinforceLearner::ReinforceLearner(const RecurrentOptions& options,
                                   std::shared_ptr<DrawingPolicy> policy)
    : policy_(std::move(policy)),
      reward_{.failure = options.failure, .graded = options.graded},
      baseline_(options.decay),
      optimizer_(policy_->parameters(), options.rate, kLargestNorm) {}

Samples ReinforceLearner::propose(const Task&, std::size_t count, double, const Rng& rng) {
  drawn_ = policy_->draw(count, rng);
  return {.placements = drawn_->placements, .answers = {}, .groups = drawn_->groups};
}

Metrics ReinforceLearner::learn(const Task& task, std::span<const Scored> samples, double,
                                const Rng&) {
  std::vector<double> rewards;
  for (const Scored& sample : samples) rewards.push_back(reward_(sample.score, task.reference));
  const std::vector<double> advantages = baseline_.advantages(rewards);
  const torch::Tensor weights =
      torch::tensor(advantages, drawn_->log.options().requires_grad(false));
  optimizer_.step(-(weights * drawn_->log).mean());
  Metrics metrics{{"reward", std::accumulate(rewards.begin(), rewards.end(), 0.0) /
                                 static_cast<double>(rewards.size())}};
  metrics.insert(metrics.end(), drawn_->metrics.begin(), drawn_->metrics.end());
  drawn_.reset();
  return metrics;
}

void ReinforceLearner::save(Archive& archive) const {
  archive.parts["network"] = to_archive(policy_->parameters());
  optimizer_.save(archive.parts["optimizer"]);
  baseline_.save(archive.parts["baseline"]);
}

void ReinforceLearner::load(const Archive& archive) {
  restore(archive.parts.at("network"), policy_->parameters());
  optimizer_.load(archive.parts.at("optimizer"));
  baseline_.load(archive.parts.at("baseline"));
}

}  // namespace berth
