#include "berth/learn/torch/hsdag/network.h"

#include <algorithm>

#include "berth/base/random.h"
#include "berth/learn/torch/fused_layers.h"

namespace berth {
namespace {

constexpr std::int64_t kTypeWidth = 16;
constexpr double kKeep = 3;  // logit of what is kept, at the start

// 0 with the given probability, to 1 part in 65536, else what keeps the mean. LibTorch's own draws
// a number of 64 bits for each entry from a slow generator; here one of its numbers is the seed,
// and four entries share a draw.
torch::Tensor dropout_mask(const torch::Tensor& like, double probability) {
  const torch::Tensor mask = torch::empty_like(like, torch::MemoryFormat::Contiguous).detach();
  const std::uint64_t dropped = static_cast<std::uint64_t>(probability * 65536);
  const double kept = 65536.0 / (65536.0 - static_cast<double>(dropped));
  const torch::Tensor seed = torch::randint(1LL << 62, {1}, torch::kLong);
  Rng rng(static_cast<std::uint64_t>(seed.item<std::int64_t>()));
  AT_DISPATCH_FLOATING_TYPES(mask.scalar_type(), "dropout", [&] {
    scalar_t* to = mask.mutable_data_ptr<scalar_t>();
    const std::int64_t count = mask.numel();
    for (std::int64_t i = 0; i < count; i += 4) {
      std::uint64_t bits = rng();
      for (std::int64_t k = i; k < std::min(i + 4, count); ++k, bits >>= 16)
        to[k] = (bits & 0xffff) < dropped ? scalar_t{0} : static_cast<scalar_t>(kept);
    }
  });
  return mask;
}

}  // namespace

HsdagNetworkImpl::HsdagNetworkImpl(const HsdagOptions& options, const HsdagWidths& widths)
    : options_(options) {
  using torch::nn::Linear;
  const std::int64_t h = options.hidden;
  const auto linear = [&](const char* name, std::int64_t in, std::int64_t out) {
    return register_module(name, Linear(in, out));
  };
  const auto norm = [&](const char* name) {
    return register_module(name, torch::nn::LayerNorm(torch::nn::LayerNormOptions({h})));
  };
  std::int64_t width = widths.features;
  if (options.scaled) {
    embed_ = linear("embed", widths.types, kTypeWidth);
    width += kTypeWidth;
  }
  in1_ = linear("in1", width, h);
  in_norm1_ = norm("in_norm1");
  in2_ = linear("in2", h, h);
  in_norm2_ = norm("in_norm2");
  if (options.directed) {
    for (int i = 0; i < options.layers; ++i)
      directed_.push_back(register_module("directed" + std::to_string(i), Directed(h)));
  } else {
    for (int i = 0; i < options.layers; ++i)
      z_gcn_.push_back(register_module("z_gcn" + std::to_string(i), Gcn(h)));
    z_norm_ = norm("z_norm");
    u_gcn_ = register_module("u_gcn", Gcn(h));
    u_norm_ = norm("u_norm");
  }
  score1_ = linear("score1", options.scaled ? 3 * h + 1 : h, h);
  score_norm_ = norm("score_norm");
  score2_ = linear("score2", h, 1);
  if (options.grouping == HsdagGrouping::kSampled) stay_ = linear("stay", h, 1);
  pre_ = linear("pre", h, h);
  pre_norm_ = norm("pre_norm");
  post_ = linear("post", h, h);
  post_norm_ = norm("post_norm");
  if (!options.scaled || options.renewal) {
    out1_ = linear("out1", h, h);
    out2_ = linear("out2", h, widths.features);
  }
  if (options.scaled) {
    head_group_ = linear("head_group", h, h);
    head_device_ = linear("head_device", widths.device_features, h);
    head_pair_ = register_module(
        "head_pair", Linear(torch::nn::LinearOptions(widths.pair_features, h).bias(false)));
    head_out_ = linear("head_out", h, 1);
    if (options.improves()) keep_ = register_parameter("keep", torch::full({1}, kKeep));
  } else {
    class1_ = linear("class1", widths.features, h);
    class2_ = linear("class2", h, widths.devices);
  }
}

torch::Tensor HsdagNetworkImpl::drop(const torch::Tensor& x) {
  return options_.dropout > 0 && is_training() ? x * dropout_mask(x, options_.dropout) : x;
}

torch::Tensor HsdagNetworkImpl::input(const torch::Tensor& x) {
  const torch::Tensor first = drop(dense_norm_relu(x, dense_norm(in1_, in_norm1_)));
  return drop(dense_norm_relu(first, dense_norm(in2_, in_norm2_)));
}

HsdagNetworkImpl::Encoded HsdagNetworkImpl::encode(const torch::Tensor& x,
                                                   const torch::Tensor& types,
                                                   const GraphIndex& index) {
  torch::Tensor given = x;
  if (options_.scaled) {
    torch::Tensor embedded = embed_(types);
    if (x.dim() == 3) embedded = embedded.unsqueeze(0).expand({x.size(0), -1, -1});
    given = torch::cat({x, embedded}, -1);
  }
  const torch::Tensor start = input(given);
  if (options_.directed) {
    torch::Tensor z = start;
    for (Directed& layer : directed_) z = layer(z, index);
    return {z, z};
  }
  torch::Tensor z = start;
  for (Gcn& layer : z_gcn_) z = drop(torch::relu(layer(z, index)));
  const torch::Tensor u = drop(torch::relu(u_gcn_(start, index)));
  return {z_norm_(start + z), u_norm_(start + u)};
}

torch::Tensor HsdagNetworkImpl::edge_logits(const torch::Tensor& z, const torch::Tensor& first,
                                            const torch::Tensor& second,
                                            const torch::Tensor& bytes) {
  const torch::Tensor pairs =
      edge_pairs(z, first, second, options_.scaled ? bytes : torch::Tensor());
  // The parsing of the paper has dropout 0.0 of its own: scores stay one per undirected edge.
  return score2_(dense_norm_relu(pairs, dense_norm(score1_, score_norm_))).squeeze(-1);
}

torch::Tensor HsdagNetworkImpl::stay_logits(const torch::Tensor& z) { return stay_(z).squeeze(-1); }

torch::Tensor HsdagNetworkImpl::pool(const torch::Tensor& u, const SparseMatrix& groups) {
  const torch::Tensor flat = u.reshape({-1, u.size(-1)});
  const torch::Tensor pooled = groups(residual_norm(flat, dense_norm(pre_, pre_norm_)));
  return residual_norm(pooled, dense_norm(post_, post_norm_));
}

torch::Tensor HsdagNetworkImpl::renewed(const torch::Tensor& pooled) {
  return drop(torch::relu(out2_(drop(torch::relu(out1_(pooled))))));
}

torch::Tensor HsdagNetworkImpl::paper_logits(const torch::Tensor& y) {
  return class2_(torch::relu(class1_(y)));
}

torch::Tensor HsdagNetworkImpl::device_logits(const torch::Tensor& pooled,
                                              const torch::Tensor& device_features,
                                              const torch::Tensor& pair_features,
                                              const torch::Tensor& kept) {
  // The first layer of an MLP on the three side by side, each part computed once.
  const torch::Tensor logits =
      pair_logits(head_group_(pooled), head_device_(device_features), pair_features,
                  head_pair_->weight, head_out_->weight.reshape({-1}), head_out_->bias);
  return kept.defined() ? logits + keep_ * kept : logits;
}

}  // namespace berth
