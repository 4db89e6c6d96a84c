// How HSDAG learns: samples groupings and devices, compares what they cost, shifts the policy.
//
// One update draws `rollouts` placements. For each, every node keeps one incident edge or stays alone
// (sampled: from softmax over them; dominant: the edge of highest score), groups are what the kept
// edges connect, and every group draws a device. With advantages (berth):
//   r_i = -log(l_i / l_ref);  A_i = (r_i - mean of the others) / (std + 1e-3)
//   L = - mean over decisions of min(rho A, clip(rho) A) - beta entropy,  rho = p_new / p_old of the
//   single decision: a joint ratio over hundreds of decisions would always be clipped
// and a placement that does not fit has r = -1 - 4 overflow - log(l / l_ref). Without (paper):
//   L = - sum_i gamma^i r_i log p_i,  r_i = 1 / l_i in seconds
// State renewal (paper) adds the group's output to the features after each step.
//
// Imitation of a placement P minimises
//   - mean_v log q_v(edges to nodes on v's device, or stay) - mean_g log pi_g(P_g)
// on groups that such edges connect; it starts the policy at the best seed, and replays the elite.
#pragma once

#include <memory>

#include "berth/learn/hsdag_network.h"
#include "berth/learn/parsing.h"
#include "berth/learn/training.h"
#include "berth/place/learned/refine.h"
#include "berth/problem.h"

namespace berth {

class HsdagLearner : public Learner {
 public:
  // `reference` is l_ref: the best known value of the problem.
  HsdagLearner(const Problem& problem, const PolicyGraph& graph, const HsdagOptions& options,
               Duration reference, std::uint64_t seed);

  void prepare(Scorer& scorer, Budget& budget, const Rng& rng) override;
  UpdateReport update(Scorer& scorer, Budget& budget, const Rng& rng, double progress) override;
  torch::nn::Module& network() override { return *network_; }
  torch::optim::Optimizer& optimizer() override { return *optimizer_; }

 private:
  // Rollouts side by side; "flat" counts nodes or groups through all of them.
  struct Batch {
    std::int64_t rollouts = 0, groups = 0;
    std::vector<std::uint32_t> group_of;      // by flat node
    std::vector<std::int64_t> choice;         // by flat node: into the list of choices
    std::vector<std::int64_t> rollout_of;     // by group
    std::vector<std::int64_t> device;         // by group
    std::vector<std::uint8_t> allowed;        // by group and device
    std::vector<std::int64_t> inner_edge, inner_group;  // edges inside groups, by flat edge
    std::vector<SetDevices> placements;

    void append(Batch&& one, std::size_t edges);  // of a graph with so many edges
  };
  struct Decisions {
    torch::Tensor choice;       // log q of every choice, step after step (sampled)
    torch::Tensor devices;      // log pi, [G, D]
    torch::Tensor renewed;      // [G, d] (renewal)
  };

  // Rollouts with the features that they saw and what the policy thought of its decisions.
  struct Drawn {
    torch::Tensor x;  // [n, d] for all, or [rollouts, n, d] (renewal)
    Batch batch{};
    Decisions old{};
  };

  void index_edges();
  void describe_devices();
  void add_rollout(Batch& batch, const Groups& wanted,
                   const std::vector<std::int64_t>& choices) const;
  Groups dissolve_impossible(Groups groups) const;
  Groups parse(const std::vector<float>& scores) const;
  Decisions decide(const torch::Tensor& x, const Batch& batch, double temperature);
  torch::Tensor choice_logits(const torch::Tensor& z, double temperature);
  torch::Tensor device_log_probabilities(const HsdagNetworkImpl::Encoded& encoded,
                                         const torch::Tensor& scores, const Batch& batch,
                                         torch::Tensor* renewed);
  void draw_devices(const torch::Tensor& log_probabilities, bool greedy, Batch& batch, Rng& rng) const;
  Batch draw_groups(const torch::Tensor& x, std::int64_t rollouts, double temperature, bool greedy,
                    Rng& rng);
  torch::Tensor imitation_loss(const SetDevices& target, double temperature, Rng& rng);
  Drawn draw_rollouts(std::int64_t rollouts, double temperature, Rng& rng);
  std::vector<double> rewards(std::span<const Score> scores) const;
  std::vector<double> weights_of(const std::vector<double>& reward, double mean) const;
  torch::Tensor loss_of(const Decisions& now, const Decisions& old, const Batch& batch,
                        const std::vector<double>& weight, double beta, double* entropy) const;
  std::vector<SetGroup> groups_of(const Batch& batch) const;
  void step(const torch::Tensor& loss);

  Problem problem_;
  const PolicyGraph& graph_;
  HsdagOptions options_;
  double reference_;
  GraphIndex index_;
  std::vector<GroupEdge> edges_;  // undirected, one per pair
  torch::Tensor edge_a_, edge_b_, edge_bytes_;
  std::vector<std::int64_t> choice_begin_, choice_edge_;  // by node: incident edges, then -1: stay
  torch::Tensor choice_index_, choice_segment_;
  torch::Tensor x_, types_, device_features_;
  std::int64_t devices_;
  HsdagNetwork network_{nullptr};
  std::unique_ptr<torch::optim::Adam> optimizer_;
};

}  // namespace berth
