// A row of device probabilities for each group: the whole policy of Post.
//
// Logits w by group m and device j. A placement d of the groups is drawn row by row:
//   u_mj  = exp(w_mj) / sum_i exp(w_mi)
//   f(d)  = prod_m u_{m, d_m}                        d log f / d w_mj = [d_m = j] - u_mj
//   KL(f_v || f_u) = sum_mj v_mj log(v_mj / u_mj)    d KL / d w_mj    = u_mj - v_mj
// both exact, because rows are independent. A device that a group may not use has u = 0 for good;
// of the others, one that has come to 0 returns by mixing only.
//
// Everything is O(groups * devices). Gao, Chen, Li: Post: Device Placement with Cross-Entropy
// Minimization and Proximal Policy Optimization, NeurIPS 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/random.h"

namespace berth {

class DeviceTable {
 public:
  // Uniform over what is allowed, by group and device, group-major; at least one in each row.
  DeviceTable(std::size_t devices, std::vector<std::uint8_t> allowed);

  std::size_t groups() const { return allowed_.size() / devices_; }
  std::size_t devices() const { return devices_; }
  bool may_use(std::size_t group, std::size_t device) const {
    return allowed_[group * devices_ + device] != 0;
  }
  // By group and device, group-major.
  const std::vector<double>& probabilities() const { return u_; }
  const std::vector<double>& logits() const { return w_; }

  void set_logits(std::vector<double> logits);
  // Weights of at least zero; each row is scaled to sum 1. A row without weight is uniform.
  void set_weights(std::span<const double> weights);
  void add_to_logits(std::span<const double> gradient, double rate);
  // u <- (1 - share) u + share / (devices that the group may use)
  void mix_with_uniform(double share);

  std::vector<std::uint32_t> draw(Rng& rng) const;
  std::vector<std::uint32_t> most_likely() const;
  double log_probability(std::span<const std::uint32_t> device_of_group) const;
  // Of the rows together, as a share of what uniform rows have: 1 at the start, 0 when settled.
  double entropy_share() const;

 private:
  friend double divergence(const DeviceTable& from, const DeviceTable& to);
  void follow_logits();

  std::size_t devices_;
  std::vector<std::uint8_t> allowed_;
  std::vector<double> w_, u_, log_u_;
};

// KL(f_from || f_to), in nats.
double divergence(const DeviceTable& from, const DeviceTable& to);

// A placement of the groups and what it costs.
struct PostSample {
  std::vector<std::uint32_t> devices;  // by group
  double value = 0;                    // any unit, above zero
  bool feasible = true;
  double deviation = 0;  // of log value, where it was measured
};

}  // namespace berth
