// Gradients held against central differences, and doctest beside LibTorch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include <torch/torch.h>

// LibTorch has a CHECK of its own, which ends the program.
#undef CHECK
#include <doctest/doctest.h>

namespace berth {

// Central differences against autograd, on every parameter's first entries.
inline void check_gradients(torch::nn::Module& module, const std::function<torch::Tensor()>& loss) {
  module.to(torch::kDouble);
  module.zero_grad();
  loss().backward();
  for (const auto& item : module.named_parameters()) {
    torch::Tensor parameter = item.value();
    if (!parameter.grad().defined()) continue;
    CAPTURE(item.key());
    const torch::Tensor gradient = parameter.grad().reshape({-1}).clone();
    const torch::NoGradGuard off;
    torch::Tensor flat = parameter.data().view({-1});
    for (std::int64_t i = 0; i < std::min<std::int64_t>(flat.numel(), 5); ++i) {
      constexpr double kStep = 1e-6;
      const double before = flat[i].item<double>();
      flat[i] = before + kStep;
      const double above = loss().item<double>();
      flat[i] = before - kStep;
      const double below = loss().item<double>();
      flat[i] = before;
      CHECK(gradient[i].item<double>() ==
            doctest::Approx((above - below) / (2 * kStep)).epsilon(1e-4).scale(1e-3));
    }
  }
}

}  // namespace berth
