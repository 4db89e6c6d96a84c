// The network of HSDAG: encoder, edge scores, pooling to groups, devices for groups.
//
//   input    twice Linear, LayerNorm, ReLU, dropout                              X -> H0
//   messages Z = LN(H0 + GCN layers(H0)) for edge scores, U = LN(H0 + GCN(H0)) for pooling;
//            directed: Z = U = Directed layers(H0)
//   scores   paper: phi(z_u * z_v); scaled: phi([z_u; z_v; z_u * z_v; log bytes]), once per
//            undirected edge, and Linear(z_v) for staying alone
//   pooling  H = post(sum or mean over the group of pre(U)), pre and post: LN(x + Linear(x))
//   paper    H *= mean score inside * 2 edges inside (1 for one node);
//            Y = Linear, ReLU, dropout, Linear, ReLU, dropout back to the input width;
//            logits = Linear, ReLU, Linear (Y)
//   scaled   logit(g,d) = MLP([h_g; device features; features of the pair]): any number of devices,
//            and permuting devices permutes the answer. Where a placement is improved (walk.h),
//            the pair's last features say what it has there, and + keep * (share of g that is on
//            d) starts the policy at small changes of it; `keep` is learned
// The paper's network has 141076 + 385 (d - 17) + 129 (|D| - 2) parameters at width 128.
#pragma once

#include <torch/torch.h>

#include "berth/learn/hsdag.h"
#include "berth/learn/torch/graph_layers.h"

namespace berth {

struct HsdagWidths {
  std::int64_t features = 0;                            // columns of X, embedded types not counted
  std::int64_t types = 0;                               // scaled: operator types to embed
  std::int64_t devices = 0;                             // paper
  std::int64_t device_features = 0, pair_features = 0;  // scaled
};

class HsdagNetworkImpl : public torch::nn::Module {
 public:
  HsdagNetworkImpl(const HsdagOptions& options, const HsdagWidths& widths);

  struct Encoded {
    torch::Tensor z, u;  // [..., n, h]
  };
  // `types` [n, types] are shares; used when scaled.
  Encoded encode(const torch::Tensor& x, const torch::Tensor& types, const GraphIndex& index);

  // Logits of undirected edges; z is [n, h] or [B, n, h], `first` and `second` [E] are the ends of
  // the edges, `bytes` is [E, 1].
  torch::Tensor edge_logits(const torch::Tensor& z, const torch::Tensor& first,
                            const torch::Tensor& second, const torch::Tensor& bytes);
  torch::Tensor stay_logits(const torch::Tensor& z);  // [n]

  // `groups` takes the rows of u (flattened to [rows, h]) to their sums or means by group.
  torch::Tensor pool(const torch::Tensor& u, const SparseMatrix& groups);

  torch::Tensor renewed(const torch::Tensor& pooled);  // paper: Y, [G, d]
  torch::Tensor paper_logits(const torch::Tensor& y);  // [G, D]
  // `kept` [G, D] is undefined where nothing is improved.
  torch::Tensor device_logits(const torch::Tensor& pooled, const torch::Tensor& device_features,
                              const torch::Tensor& pair_features,
                              const torch::Tensor& kept = {});  // [G, D]

 private:
  torch::Tensor input(const torch::Tensor& x);
  torch::Tensor drop(const torch::Tensor& x);

  HsdagOptions options_;
  torch::nn::Linear in1_{nullptr}, in2_{nullptr}, score1_{nullptr}, score2_{nullptr}, pre_{nullptr},
      post_{nullptr}, out1_{nullptr}, out2_{nullptr}, class1_{nullptr}, class2_{nullptr},
      stay_{nullptr}, embed_{nullptr}, head_group_{nullptr}, head_device_{nullptr},
      head_pair_{nullptr}, head_out_{nullptr};
  torch::nn::LayerNorm in_norm1_{nullptr}, in_norm2_{nullptr}, z_norm_{nullptr}, u_norm_{nullptr},
      score_norm_{nullptr}, pre_norm_{nullptr}, post_norm_{nullptr};
  torch::Tensor keep_;  // improve
  std::vector<Gcn> z_gcn_;
  Gcn u_gcn_{nullptr};
  std::vector<Directed> directed_;
};
TORCH_MODULE(HsdagNetwork);

}  // namespace berth
