#include "berth/learn/adam.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace berth {
namespace {

constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kTiny = 1e-8;

double norm_of(const std::vector<torch::Tensor>& tensors) {
  double squares = 0;
  for (const torch::Tensor& norm : at::_foreach_norm(tensors, 2))
    squares += std::pow(norm.item<double>(), 2);
  return std::sqrt(squares);
}

}  // namespace

Adam::Adam(std::vector<torch::Tensor> parameters, double rate, std::optional<double> largest_norm)
    : parameters_(std::move(parameters)), rate_(rate), largest_norm_(largest_norm) {
  for (const torch::Tensor& parameter : parameters_) {
    means_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous));
    squares_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous));
    steps_.push_back(torch::zeros({}));
  }
}

void Adam::step(const torch::Tensor& loss) {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  loss.backward();
  const torch::NoGradGuard off;
  // A parameter that the loss does not reach keeps its value and its moments.
  std::vector<torch::Tensor> parameters, gradients, means, squares, steps;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    parameters.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    means.push_back(means_[i]);
    squares.push_back(squares_[i]);
    steps.push_back(steps_[i].add_(1));
  }
  if (parameters.empty()) return;
  std::optional<torch::Tensor> divisor;
  if (largest_norm_) {
    const double norm = norm_of(gradients);
    if (norm > *largest_norm_)
      divisor = torch::tensor(static_cast<float>((norm + 1e-6) / *largest_norm_));
  }
  at::_fused_adam_(parameters, gradients, means, squares, {}, steps, rate_, kMeanDecay, kSquareDecay,
                   /*weight_decay=*/0, kTiny, /*amsgrad=*/false, /*maximize=*/false, divisor,
                   /*found_inf=*/{});
}

void Adam::save(torch::serialize::OutputArchive& archive) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    archive.write("mean" + std::to_string(i), means_[i]);
    archive.write("square" + std::to_string(i), squares_[i]);
    archive.write("steps" + std::to_string(i), steps_[i]);
  }
}

void Adam::load(torch::serialize::InputArchive& archive) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    archive.read("mean" + std::to_string(i), means_[i]);
    archive.read("square" + std::to_string(i), squares_[i]);
    archive.read("steps" + std::to_string(i), steps_[i]);
  }
}

}  // namespace berth
