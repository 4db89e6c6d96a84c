// Adam, with the gradient cut to a largest norm.
//
//   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
//   w <- w - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8),   b1 = 0.9, b2 = 0.999
//
// where g is scaled down when its norm over all parameters is above the largest. The optimiser of
// LibTorch's C++ interface walks the parameters one by one, ten small operations each, which for
// networks of this size takes as long as their gradients; here all parameters are one fused step.
//
// Kingma and Ba, Adam: A Method for Stochastic Optimization, ICLR 2015.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "berth/io/archive.h"

namespace berth {

class Adam {
 public:
  Adam(std::vector<torch::Tensor> parameters, double rate, std::optional<double> largest_norm = {});

  // The gradient of the loss, and one step against it.
  void step(const torch::Tensor& loss);
  // The same in parts, for a loss that is a sum too long to hold: forget the last gradient, add
  // those of the parts by backward(), and one step against what they add up to.
  void forget_gradient();
  void step();
  void set_rate(double rate) { rate_ = rate; }  // the caller's to restore: it is not saved

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  std::vector<torch::Tensor> parameters_, means_, squares_;
  std::int64_t steps_ = 0;
  double rate_;
  std::optional<double> largest_norm_;
};

}  // namespace berth
