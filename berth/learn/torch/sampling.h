// Draws from what a network says: logs of probabilities to choices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "berth/base/random.h"

namespace berth {

std::vector<float> floats(const torch::Tensor& tensor);

// A draw in proportion to exp(log), from [begin, end); the last possible one when rounding leaves
// something over.
std::size_t draw(std::span<const float> logs, std::size_t begin, std::size_t end, Rng& rng);

}  // namespace berth
