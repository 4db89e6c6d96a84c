// A recurrent placer: reads groups one after another, then names a device for each in turn.
//
//   encoder    h_1 ... h_G = LSTM(x_1 ... x_G), in one direction or in both
//   decoder    s_t = LSTM([embedding of d_(t-1); h_t], s_(t-1)), s_0 the encoder's last state
//   attention  e_tj = v' tanh(W_1 h_j + W_2 s_t),   a_t = softmax(e_t),   z_t = sum_j a_tj h_j
//   devices    p(d_t | d_1 ... d_(t-1)) = softmax(C tanh(W_3 [s_t; z_t] / T)); C = 0: no tanh
// The first step has an embedding of its own for the device before. Devices that a group may not
// use have probability 0. Without alignment the decoder reads only the device before.
//
// All placements of an update are decoded side by side: n sequences of groups, `rows` placements of
// each, one step of the decoder for all of them. What the decoder reads of groups and of devices is
// multiplied once for all steps. log p of a placement keeps its gradient, so that what was drawn is
// learned from without a second pass.
//
// O(n rows G (hidden^2 + G (attention + hidden))) for a decoding; n rows G^2 attention numbers are
// kept for its gradient. Bahdanau, Cho, Bengio, Neural Machine Translation by Jointly Learning to
// Align and Translate, ICLR 2015.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "berth/base/random.h"
#include "berth/learn/recurrent_options.h"

namespace berth {

// The device of a row at a step, from log p of each.
using ChooseDevice =
    std::function<std::size_t(std::size_t row, std::size_t step, std::span<const float> logs)>;
ChooseDevice drawn_with(Rng& rng);

class RecurrentPlacerImpl : public torch::nn::Module {
 public:
  RecurrentPlacerImpl(const RecurrentOptions& options, std::int64_t features, std::int64_t devices,
                      bool both_ways);

  struct Encoded {
    torch::Tensor memory;        // h, [n, G, m]
    torch::Tensor keys;          // W_1 h, [n, G, a]
    torch::Tensor gates;         // what the decoder reads of each group, [n, G, 4 hidden]; aligned
    torch::Tensor hidden, memo;  // the decoder's first state, [n, hidden]
  };
  struct Decoded {
    std::vector<std::vector<std::uint32_t>> devices;  // by row: of each group
    torch::Tensor log;                                // log p of each row, [n * rows]
    double entropy = 0;                               // mean of a decision
  };

  Encoded encode(const torch::Tensor& groups);  // [n, G, features]
  // Rows of one sequence stand together. `forbidden` is [n, G, devices], or undefined.
  Decoded decode(const Encoded& encoded, const torch::Tensor& forbidden, std::int64_t rows,
                 const ChooseDevice& choose);

 private:
  struct State {
    torch::Tensor hidden, memo;  // [n * rows, hidden]
  };
  State next(const State& state, const torch::Tensor& read) const;
  torch::Tensor device_logits(const Encoded& encoded, const torch::Tensor& hidden);

  RecurrentOptions options_;
  std::int64_t devices_;
  torch::nn::LSTM encoder_{nullptr};
  torch::nn::Linear first_hidden_{nullptr}, first_memo_{nullptr};  // both ways: to one state
  torch::nn::Embedding embedding_{nullptr};                        // the last row starts
  torch::nn::Linear from_device_{nullptr}, from_group_{nullptr}, from_state_{nullptr};  // to gates
  torch::nn::Linear key_{nullptr}, query_{nullptr}, compare_{nullptr}, out_{nullptr};
};
TORCH_MODULE(RecurrentPlacer);

}  // namespace berth
