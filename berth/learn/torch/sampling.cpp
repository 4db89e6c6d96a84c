#include "berth/learn/torch/sampling.h"

#include <cmath>

namespace berth {

std::vector<float> floats(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().contiguous();
  const float* begin = flat.const_data_ptr<float>();
  return {begin, begin + flat.numel()};
}

std::size_t draw(std::span<const float> logs, std::size_t begin, std::size_t end, Rng& rng) {
  double left = rng.uniform();
  std::size_t last = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const double probability = std::exp(static_cast<double>(logs[i]));
    if (!(probability > 0)) continue;
    last = i;
    left -= probability;
    if (left < 0) break;
  }
  return last;
}

}  // namespace berth
