// Blocks of layers with a gradient each.
//
//   dense_norm_relu   ReLU(LN(x W^T + b))
//   residual_norm     LN(x + x W^T + b)
//   message_norm      LN(x + ReLU(m W^T + b)), m the messages that arrive at x
//   edge_pairs        [z_u ; z_v ; z_u * z_v ; size] or z_u * z_v alone, for edges (u, v)
//   pair_logits       w . ReLU(group_g + device_d + P pair_gd) + c, for groups g and devices d
//
// The networks here are small: a few hundred rows of 128 numbers. Written out in single operations
// three quarters of a gradient's time is spent between them, on bookkeeping and on memory for what
// lies between. A block is one operation; its gradient is written by hand (and tested against
// differences). Rows are the last but one dimension; leading dimensions are a batch.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace berth {

struct DenseNorm {
  torch::Tensor weight, bias;  // W [out, in], b [out]
  torch::Tensor scale, shift;  // of the norm, [out]
};
DenseNorm dense_norm(const torch::nn::Linear& dense, const torch::nn::LayerNorm& norm);

torch::Tensor dense_norm_relu(const torch::Tensor& x, const DenseNorm& layer);
torch::Tensor residual_norm(const torch::Tensor& x, const DenseNorm& layer);
torch::Tensor message_norm(const torch::Tensor& x, const torch::Tensor& messages,
                           const DenseNorm& layer);

// `first` and `second` [E] are the ends; `size` [E, 1] is taken with the ends, or is undefined:
// then the product alone is given.
torch::Tensor edge_pairs(const torch::Tensor& z, const torch::Tensor& first,
                         const torch::Tensor& second, const torch::Tensor& size);

// group [G, h], device [D, h], pair [G, D, p], weight P [h, p], out w [h], offset c [1] -> [G, D].
torch::Tensor pair_logits(const torch::Tensor& group, const torch::Tensor& device,
                          const torch::Tensor& pair, const torch::Tensor& weight,
                          const torch::Tensor& out, const torch::Tensor& offset);

}  // namespace berth
