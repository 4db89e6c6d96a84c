// Plain numbers to tensors and back, and draws from what a network says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "berth/base/random.h"
#include "berth/learn/node_features.h"

namespace berth {

torch::Tensor index_tensor(const std::vector<std::int64_t>& values);
torch::Tensor matrix_tensor(const FeatureMatrix& matrix);  // [rows, columns]
std::vector<float> floats(const torch::Tensor& tensor);

// A draw in proportion to exp(log), from [begin, end); the last possible one when rounding leaves
// something over.
std::size_t draw(std::span<const float> logs, std::size_t begin, std::size_t end, Rng& rng);

}  // namespace berth
