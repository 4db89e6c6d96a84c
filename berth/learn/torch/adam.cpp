#include "berth/learn/torch/adam.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "berth/learn/torch/state.h"

namespace berth {
namespace {

constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kTiny = 1e-8;

// Sixteen sums side by side, which the compiler turns into vectors.
double norm_of(const std::vector<torch::Tensor>& tensors) {
  double squares = 0;
  for (const torch::Tensor& tensor : tensors) {
    const torch::Tensor values = tensor.contiguous();
    const float* x = values.const_data_ptr<float>();
    const std::int64_t count = values.numel();
    std::array<float, 16> sums{};
    std::int64_t i = 0;
    for (; i + 16 <= count; i += 16)
      for (std::int64_t k = 0; k < 16; ++k)
        sums[static_cast<std::size_t>(k)] += x[i + k] * x[i + k];
    for (; i < count; ++i) sums[0] += x[i] * x[i];
    squares += std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  return std::sqrt(squares);
}

}  // namespace

Adam::Adam(std::vector<torch::Tensor> parameters, double rate, std::optional<double> largest_norm)
    : parameters_(std::move(parameters)), rate_(rate), largest_norm_(largest_norm) {
  for (const torch::Tensor& parameter : parameters_) {
    means_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous));
    squares_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous));
  }
}

void Adam::step(const torch::Tensor& loss) {
  forget_gradient();
  loss.backward();
  step();
}

void Adam::forget_gradient() {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

void Adam::step() {
  const torch::NoGradGuard off;
  ++steps_;
  // A parameter that the loss does not reach keeps its value and its moments.
  std::vector<torch::Tensor> parameters, gradients, means, squares;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    parameters.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    means.push_back(means_[i]);
    squares.push_back(squares_[i]);
  }
  if (parameters.empty()) return;
  std::optional<torch::Tensor> divisor;
  if (largest_norm_) {
    const double norm = norm_of(gradients);
    if (norm > *largest_norm_)
      divisor = torch::tensor(static_cast<float>((norm + 1e-6) / *largest_norm_));
  }
  const std::vector<torch::Tensor> steps(parameters.size(),
                                         torch::tensor(static_cast<float>(steps_)));
  at::_fused_adam_(parameters, gradients, means, squares, {}, steps, rate_, kMeanDecay,
                   kSquareDecay,
                   /*weight_decay=*/0, kTiny, /*amsgrad=*/false, /*maximize=*/false, divisor,
                   /*found_inf=*/{});
}

void Adam::save(Archive& archive) const {
  archive.parts["means"] = to_archive(means_);
  archive.parts["squares"] = to_archive(squares_);
  archive.numbers["steps"] = {static_cast<double>(steps_)};
}

void Adam::load(const Archive& archive) {
  restore(archive.parts.at("means"), means_);
  restore(archive.parts.at("squares"), squares_);
  steps_ = static_cast<std::int64_t>(archive.numbers.at("steps").at(0));
}

}  // namespace berth
