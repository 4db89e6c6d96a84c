// The proximal step of Post: a few steps of ascent on the samples of one batch.
//
// Of K samples d_n with advantages A_n, drawn from the table u_old:
//   maximise over w   1/K sum_n r_n A_n - beta KL(f_old || f_u),     r_n = f(d_n|u) / f(d_n|u_old)
//   gradient          1/K sum_n r_n A_n ([d_nm = j] - u_mj) - beta (u_mj - u_old_mj)
// by plain ascent; log r is clamped to [-20, 20]. After a batch beta is doubled where KL is above
// 1.5 times its target and halved where it is below the target / 1.5. The target holds for all rows
// together: the ratios of a batch stay useful only while KL as a whole is a fraction of a nat.
//
// Two guards. The penalty's curvature is at most beta / 2, so steps are no longer than 1 / beta and
// never jump back and forth across its minimum. With many rows one step may go far: it is halved
// until KL is at most twice its target.
//
// O(steps (K groups + groups * devices)). Gao, Chen, Li, Post, NeurIPS 2018; Schulman et al.,
// Proximal Policy Optimization Algorithms, 2017, for the penalty.
#pragma once

#include <span>
#include <vector>

#include "berth/learn/post/table.h"

namespace berth {

struct ProximalOptions {
  int steps = 10;
  double rate = 0.1;
  double target = 0.1;  // of KL
};

struct ProximalBatch {
  std::span<const PostSample> samples;
  std::span<const double> advantages;  // by sample
};

double proximal_objective(const DeviceTable& table, const DeviceTable& old,
                          const ProximalBatch& batch, double beta);
// By logit.
std::vector<double> proximal_gradient(const DeviceTable& table, const DeviceTable& old,
                                      const ProximalBatch& batch, double beta);

struct ProximalResult {
  DeviceTable table;
  double divergence = 0;  // from the old table
  double beta = 1;        // for the next batch
};

ProximalResult proximal_ascent(const DeviceTable& old, const ProximalBatch& batch, double beta,
                               const ProximalOptions& options);

}  // namespace berth
