#include "berth/learn/hsdag_network.h"

namespace berth {
namespace {

constexpr std::int64_t kTypeWidth = 16;

}  // namespace

HsdagNetworkImpl::HsdagNetworkImpl(const HsdagOptions& options, const HsdagWidths& widths)
    : options_(options), mean_pooling_(options.scaled) {
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
    head_pair_ = linear("head_pair", widths.pair_features, h);
    head_out_ = linear("head_out", h, 1);
  } else {
    class1_ = linear("class1", widths.features, h);
    class2_ = linear("class2", h, widths.devices);
  }
}

torch::Tensor HsdagNetworkImpl::drop(const torch::Tensor& x) {
  return options_.dropout > 0 ? torch::dropout(x, options_.dropout, is_training()) : x;
}

torch::Tensor HsdagNetworkImpl::input(const torch::Tensor& x) {
  const torch::Tensor first = drop(torch::relu(in_norm1_(in1_(x))));
  return drop(torch::relu(in_norm2_(in2_(first))));
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

torch::Tensor HsdagNetworkImpl::edge_logits(const torch::Tensor& z, const torch::Tensor& a,
                                            const torch::Tensor& b, const torch::Tensor& bytes) {
  const torch::Tensor za = z.index_select(-2, a), zb = z.index_select(-2, b);
  torch::Tensor pair = za * zb;
  if (options_.scaled) {
    torch::Tensor size = bytes;
    if (z.dim() == 3) size = bytes.unsqueeze(0).expand({z.size(0), -1, -1});
    pair = torch::cat({za, zb, pair, size}, -1);
  }
  torch::Tensor hidden = torch::relu(score_norm_(score1_(pair)));
  // The parsing of the paper has dropout 0.0 of its own: scores stay one per undirected edge.
  return score2_(hidden).squeeze(-1);
}

torch::Tensor HsdagNetworkImpl::stay_logits(const torch::Tensor& z) { return stay_(z).squeeze(-1); }

torch::Tensor HsdagNetworkImpl::pool(const torch::Tensor& u, const torch::Tensor& row,
                                     const torch::Tensor& group, std::int64_t groups) {
  const torch::Tensor flat = u.reshape({-1, u.size(-1)});
  const torch::Tensor prepared = pre_norm_(flat + pre_(flat));
  torch::Tensor sums = torch::zeros({groups, u.size(-1)}, u.options())
                           .index_add(0, group, prepared.index_select(0, row));
  if (mean_pooling_) {
    const torch::Tensor ones = torch::ones({group.size(0)}, u.options());
    sums = sums / torch::zeros({groups}, u.options()).index_add(0, group, ones).unsqueeze(1);
  }
  return post_norm_(sums + post_(sums));
}

torch::Tensor HsdagNetworkImpl::renewed(const torch::Tensor& pooled) {
  return drop(torch::relu(out2_(drop(torch::relu(out1_(pooled))))));
}

torch::Tensor HsdagNetworkImpl::paper_logits(const torch::Tensor& y) {
  return class2_(torch::relu(class1_(y)));
}

torch::Tensor HsdagNetworkImpl::device_logits(const torch::Tensor& pooled,
                                              const torch::Tensor& device_features,
                                              const torch::Tensor& pair_features) {
  // The first layer of an MLP on the three side by side, each part computed once.
  const torch::Tensor hidden = torch::relu(head_group_(pooled).unsqueeze(1) +
                                           head_device_(device_features).unsqueeze(0) +
                                           head_pair_(pair_features));
  return head_out_(hidden).squeeze(-1);
}

}  // namespace berth
