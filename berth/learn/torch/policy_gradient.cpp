#include "berth/learn/torch/policy_gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth {
namespace {

// One pass instead of a chain of ten operations; what the way back needs is known on the way there.
struct ClippedGain : torch::autograd::Function<ClippedGain> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& logs,
                               const torch::Tensor& taken, const torch::Tensor& old,
                               const torch::Tensor& weight, double clip) {
    const torch::Tensor now = logs.contiguous();
    const torch::Tensor gradient = torch::zeros_like(now);
    const std::int64_t count = taken.numel();
    const std::int64_t* place = taken.const_data_ptr<std::int64_t>();
    double sum = 0;
    AT_DISPATCH_FLOATING_TYPES(now.scalar_type(), "clipped gain", [&] {
      const scalar_t* log = now.const_data_ptr<scalar_t>();
      const scalar_t* before = old.const_data_ptr<scalar_t>();
      const scalar_t* w = weight.const_data_ptr<scalar_t>();
      scalar_t* to = gradient.mutable_data_ptr<scalar_t>();
      const scalar_t low = static_cast<scalar_t>(1 - clip), high = static_cast<scalar_t>(1 + clip);
      for (std::int64_t i = 0; i < count; ++i) {
        const scalar_t ratio = std::exp(log[place[i]] - before[i]);
        const scalar_t free = ratio * w[i], bound = std::clamp(ratio, low, high) * w[i];
        sum += static_cast<double>(std::min(free, bound));
        if (free <= bound) to[place[i]] += free / static_cast<scalar_t>(count);
      }
    });
    context->save_for_backward({gradient});
    return torch::full({}, sum / static_cast<double>(std::max<std::int64_t>(count, 1)),
                       now.options());
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::Tensor none;
    return {context->get_saved_variables()[0] * gradients[0], none, none, none, none};
  }
};

}  // namespace

double log_reward(const Score& score, Duration reference) {
  const double value = std::max(score.value.count(), 1e-9);
  const double relative =
      score.value == kForever ? 10.0 : std::log(value / std::max(reference.count(), 1e-9));
  return score.feasible() ? -relative : -1 - 4 * std::min(score.overflow, 10.0) - relative;
}

double inverse_reward(const Score& score) {
  const bool failed = !score.feasible() || score.value == kForever;
  return failed ? 1e-10 : 1e6 / std::max(score.value.count(), 1e-9);
}

std::vector<double> advantages(std::span<const double> rewards) {
  const double count = static_cast<double>(rewards.size());
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0), mean = sum / count;
  double squares = 0;
  for (const double r : rewards) squares += (r - mean) * (r - mean);
  const double deviation = std::sqrt(squares / count);
  std::vector<double> result;
  for (const double r : rewards) {
    const double others = count > 1 ? (sum - r) / (count - 1) : 0.0;
    result.push_back((r - others) / (deviation + 1e-3));
  }
  return result;
}

std::vector<double> ranks(std::span<const double> rewards) {
  const double others = static_cast<double>(std::max<std::size_t>(rewards.size(), 2) - 1);
  std::vector<double> result;
  for (const double r : rewards) {
    const auto below =
        std::count_if(rewards.begin(), rewards.end(), [&](double x) { return x < r; });
    const auto above =
        std::count_if(rewards.begin(), rewards.end(), [&](double x) { return x > r; });
    result.push_back(static_cast<double>(below - above) / others);
  }
  return result;
}

std::vector<double> discounted(std::span<const double> rewards, double gamma) {
  std::vector<double> result;
  for (std::size_t i = 0; i < rewards.size(); ++i)
    result.push_back(std::pow(gamma, static_cast<double>(i + 1)) * rewards[i]);
  return result;
}

torch::Tensor clipped_gain(const torch::Tensor& logs, const torch::Tensor& taken,
                           const torch::Tensor& old, const torch::Tensor& weight, double clip) {
  return ClippedGain::apply(logs, taken, old, weight, clip);
}

torch::Tensor weighted_sum(const torch::Tensor& logs, const torch::Tensor& taken,
                           const torch::Tensor& weight) {
  return (weight * logs.index_select(0, taken)).sum();
}

}  // namespace berth
