#include "berth/learn/torch/recurrent_placer.h"

#include <cmath>

#include "berth/learn/torch/tensors.h"

namespace berth {
namespace {

torch::nn::Linear without_bias(std::int64_t in, std::int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

double entropy_of(std::span<const float> logs) {
  double sum = 0;
  for (const float log : logs)
    if (const double p = std::exp(static_cast<double>(log)); p > 0)
      sum -= p * static_cast<double>(log);
  return sum;
}

}  // namespace

ChooseDevice drawn_with(Rng& rng) {
  return [&rng](std::size_t, std::size_t, std::span<const float> logs) {
    return draw(logs, 0, logs.size(), rng);
  };
}

RecurrentPlacerImpl::RecurrentPlacerImpl(const RecurrentOptions& options, std::int64_t features,
                                         std::int64_t devices, bool both_ways)
    : options_(options), devices_(devices) {
  using torch::nn::Linear;
  const std::int64_t h = options.hidden, a = options.attention, m = both_ways ? 2 * h : h;
  encoder_ = register_module(
      "encoder", torch::nn::LSTM(torch::nn::LSTMOptions(features, h).bidirectional(both_ways)));
  if (both_ways) {
    first_hidden_ = register_module("first_hidden", Linear(m, h));
    first_memo_ = register_module("first_memo", Linear(m, h));
  }
  embedding_ = register_module("embedding", torch::nn::Embedding(devices + 1, h));
  from_device_ = register_module("from_device", Linear(h, 4 * h));
  from_state_ = register_module("from_state", without_bias(h, 4 * h));
  if (options.aligned) from_group_ = register_module("from_group", without_bias(m, 4 * h));
  key_ = register_module("key", Linear(m, a));
  query_ = register_module("query", without_bias(h, a));
  compare_ = register_module("compare", without_bias(a, 1));
  out_ = register_module("out", Linear(h + m, devices));
}

RecurrentPlacerImpl::Encoded RecurrentPlacerImpl::encode(const torch::Tensor& groups) {
  const auto [outputs, last] = encoder_(groups.transpose(0, 1));
  const auto& [hidden, memo] = last;  // [directions, n, h]
  Encoded encoded;
  encoded.memory = outputs.transpose(0, 1).contiguous();
  encoded.keys = key_(encoded.memory);
  if (options_.aligned) encoded.gates = from_group_(encoded.memory);
  const auto beside = [](const torch::Tensor& directions) {
    return directions.transpose(0, 1).flatten(1);
  };
  encoded.hidden = first_hidden_ ? torch::tanh(first_hidden_(beside(hidden))) : hidden[0];
  encoded.memo = first_memo_ ? first_memo_(beside(memo)) : memo[0];
  return encoded;
}

// `read` is what the inputs add to the gates: in, forget, candidate, out.
RecurrentPlacerImpl::State RecurrentPlacerImpl::next(const State& state,
                                                     const torch::Tensor& read) const {
  const std::vector<torch::Tensor> gates =
      torch::addmm(read, state.hidden, from_state_->weight.t()).chunk(4, 1);
  State result;
  result.memo =
      torch::sigmoid(gates[1]) * state.memo + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
  result.hidden = torch::sigmoid(gates[3]) * torch::tanh(result.memo);
  return result;
}

torch::Tensor RecurrentPlacerImpl::device_logits(const Encoded& encoded,
                                                 const torch::Tensor& hidden) {
  const std::int64_t sequences = encoded.keys.size(0);
  const torch::Tensor query = query_(hidden).view({sequences, -1, 1, options_.attention});
  const torch::Tensor scores =
      compare_(torch::tanh(encoded.keys.unsqueeze(1) + query)).squeeze(-1);  // [n, rows, G]
  const torch::Tensor seen = torch::matmul(torch::softmax(scores, 2), encoded.memory).flatten(0, 1);
  const torch::Tensor logits = out_(torch::cat({hidden, seen}, 1)) / options_.temperature;
  return options_.tanh > 0 ? options_.tanh * torch::tanh(logits) : logits;
}

RecurrentPlacerImpl::Decoded RecurrentPlacerImpl::decode(const Encoded& encoded,
                                                         const torch::Tensor& forbidden,
                                                         std::int64_t rows,
                                                         const ChooseDevice& choose) {
  const std::int64_t sequences = encoded.keys.size(0), steps = encoded.keys.size(1);
  const std::size_t all = static_cast<std::size_t>(sequences * rows);
  const std::size_t devices = static_cast<std::size_t>(devices_);
  Decoded decoded{.devices = std::vector<std::vector<std::uint32_t>>(all),
                  .log = torch::zeros({sequences * rows}, encoded.keys.options())};
  const torch::Tensor by_device = from_device_(embedding_->weight);
  std::vector<torch::Tensor> by_group;  // taken apart once: so is their gradient put together
  if (options_.aligned) by_group = encoded.gates.unbind(1);
  State state{encoded.hidden.repeat_interleave(rows, 0), encoded.memo.repeat_interleave(rows, 0)};
  torch::Tensor before = torch::full({sequences * rows}, devices_, torch::kLong);
  for (std::int64_t t = 0; t < steps; ++t) {
    torch::Tensor read = by_device.index_select(0, before);
    if (options_.aligned)
      read = read + by_group[static_cast<std::size_t>(t)].repeat_interleave(rows, 0);
    state = next(state, read);
    torch::Tensor logits = device_logits(encoded, state.hidden);
    if (forbidden.defined())
      logits = logits.masked_fill(forbidden.select(1, t).repeat_interleave(rows, 0), -1e9);
    const torch::Tensor logs = torch::log_softmax(logits, 1);
    const std::vector<float> values = floats(logs);
    std::vector<std::int64_t> chosen;
    for (std::size_t row = 0; row < all; ++row) {
      const std::span<const float> of_row = std::span(values).subspan(row * devices, devices);
      chosen.push_back(static_cast<std::int64_t>(choose(row, static_cast<std::size_t>(t), of_row)));
      decoded.devices[row].push_back(static_cast<std::uint32_t>(chosen.back()));
      decoded.entropy += entropy_of(of_row) / static_cast<double>(sequences * rows * steps);
    }
    before = index_tensor(chosen);
    decoded.log = decoded.log + logs.gather(1, before.unsqueeze(1)).squeeze(1);
  }
  return decoded;
}

}  // namespace berth
