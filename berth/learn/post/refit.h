// The cross-entropy step of Post: the table becomes what the best samples have in common.
//
// From a pool of N samples with times T the level g is the ceil(rho N)-th smallest feasible T, and
// the samples up to g are the elite. The table that makes the elite most likely counts devices:
//   u_mj = sum_n e_n [d_nm = j] / sum_n e_n,      e_n = [T_n <= g]
// then smoothing, u <- alpha u + (1 - alpha) u_before, and mixing, u <- (1 - eps) u + eps / D,
// without which a device that the elite lacks could never return. With fewer feasible samples than
// ceil(rho N) all of them are the elite.
//
// A measured time is uncertain: log T_n has a deviation s_n. Membership is then the probability of
// lying below the level, which is put halfway to the next sample:
//   e_n = Phi((log g - log T_n) / s_n),           log g = (log T_(k) + log T_(k+1)) / 2
//
// O(N (log N + groups) + groups * devices). Gao, Chen, Li, Post, NeurIPS 2018, section on
// cross-entropy minimisation; smoothing and uncertain members are ours.
#pragma once

#include <span>
#include <vector>

#include "berth/learn/post/table.h"

namespace berth {

// e_n of each sample; all zero when none is feasible.
std::vector<double> elite_weights(std::span<const PostSample> pool, double share);

struct RefitOptions {
  double share = 0.1;    // rho
  double smoothing = 1;  // alpha
  double mixing = 0;     // eps
};

// False, and the table stays, when no sample is feasible.
bool refit(DeviceTable& table, std::span<const PostSample> pool, const RefitOptions& options);

}  // namespace berth
