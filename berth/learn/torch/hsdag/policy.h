// The policy of HSDAG on one problem: from features to groups and devices, with their
// probabilities.
//
//   encoding   one pass of the network over the nodes: log q of what each node may choose (an
//              incident edge, or to stay alone), and scores of edges
//   groups     sampled: every node draws a choice, groups are what the chosen edges connect;
//              dominant: every node keeps the edge of highest score; none: every node is a group
//   devices    log pi of every device for every group, one pass over the distinct groups
//
// Where a placement is improved (walk.h), only a region is drawn anew, and log pi knows what the
// placement has around each group.
//
// An encoding serves any number of rollouts: they differ in what they draw, not in what it is drawn
// from. With state renewal each step has features of its own, a leading dimension of x.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "berth/base/random.h"
#include "berth/learn/parsing.h"
#include "berth/learn/rollouts.h"
#include "berth/learn/task.h"
#include "berth/learn/torch/hsdag/network.h"
#include "berth/learn/torch/tensors.h"

namespace berth {

class HsdagPolicy {
 public:
  HsdagPolicy(const HsdagOptions& options, const Task& task, std::uint64_t seed);

  struct Encoding {
    torch::Tensor u;       // [..., n, h], to be pooled
    torch::Tensor scores;  // [..., E]: logits of the edges
    torch::Tensor choice;  // [... * C]: log q, step after step (sampled groups)
  };
  // The groups of rollouts as the network takes them.
  struct GroupIndex {
    SparseMatrix members;         // [groups, rows of u]
    SparseMatrix inner_edges;     // paper: [groups, edges of all steps]
    torch::Tensor has_edges;      // paper: [groups]
    torch::Tensor pair_features;  // scaled: [groups, devices, 3], improve: 6
    torch::Tensor kept;           // improve: [groups, devices], the share that is there already
    torch::Tensor forbidden;      // [groups, devices], undefined when nothing is
  };
  struct DeviceLogs {
    torch::Tensor log;      // log pi, [groups, devices]
    torch::Tensor renewed;  // [groups, d] (renewal)
  };

  const torch::Tensor& features() const { return x_; }  // [n, d]
  HsdagNetworkImpl& network() { return *network_; }
  const HsdagNetworkImpl& network() const { return *network_; }
  const PolicyGraph& graph() const { return graph_; }
  std::span<const GroupEdge> edges() const { return edges_; }
  // The choices of node v are [choice_begin()[v], choice_begin()[v + 1]); each is an edge, or
  // kStays.
  std::span<const std::int64_t> choice_begin() const { return choice_begin_; }
  std::span<const std::uint32_t> choice_edge() const { return choice_edge_; }
  // Whether one encoding, drawn from once, is also what the first gradient may be taken from.
  bool repeats_itself() const { return !options_.renewal && !(options_.dropout > 0); }

  Encoding encode(const torch::Tensor& x, double temperature);
  Groups dominant_groups(const torch::Tensor& scores) const;  // scores [E]
  Rollouts empty_rollouts() const;
  Rollouts draw_groups(const Encoding& encoding, std::size_t rollouts, bool greedy, Rng& rng) const;
  // Parts of `base`, one for each region.
  Rollouts draw_parts(const Encoding& encoding, const SetDevices& base,
                      std::span<const SetGroup> regions, Rng& rng) const;
  // `base`: what is improved, if anything is.
  GroupIndex index(const Rollouts& rollouts, const SetDevices* base = nullptr) const;
  DeviceLogs devices(const Encoding& encoding, const GroupIndex& groups);
  void draw_devices(const torch::Tensor& log, bool greedy, Rollouts& rollouts, Rng& rng) const;
  // Rollouts that have come out as `base` get one decision that differs: the same again tells
  // nothing.
  void draw_changes(const torch::Tensor& log, const SetDevices& base, Rollouts& rollouts,
                    Rng& rng) const;

 private:
  void index_edges();
  void describe_devices();
  torch::Tensor pair_features(const Rollouts& rollouts, const SetDevices* base) const;
  // What each node keeps: drawn among its choices, the dominant edge, or nothing.
  std::vector<std::uint32_t> draw_kept(const Encoding& encoding, std::span<const float> logs,
                                       std::span<const std::uint32_t> nodes,
                                       std::vector<std::int64_t>& choices, Rng& rng) const;
  std::int64_t pair_width() const;

  Problem problem_;
  const PolicyGraph& graph_;
  HsdagOptions options_;
  double reference_;  // what times are told relative to
  GraphIndex index_;
  std::vector<GroupEdge> edges_;  // undirected, one per pair
  torch::Tensor first_, second_, edge_bytes_;
  std::vector<std::int64_t> choice_begin_;
  std::vector<std::uint32_t> choice_edge_;
  torch::Tensor choice_index_, choice_segments_;
  torch::Tensor x_, types_, device_features_;
  std::int64_t devices_;
  HsdagNetwork network_{nullptr};
};

}  // namespace berth
