// Post's two updates over one stream of samples of the groups.
//
// Of every batch of K samples:
//   at every N-th sample   the table is refitted to the best of the last N      (refit.h)
//   otherwise              a few proximal steps on the batch                    (proximal.h)
// so every sample counts a little and the best count fully. Samples are always drawn from the table
// as it is: it is also the old table of the next proximal step. The best samples so far belong to
// every pool, so that a bad round loses nothing.
//
// Advantages are A = b - T in units of the first batch's mean, b a moving average of T; or, scaled,
// (b - log T) / deviation of the batch, b a moving average of log T that starts anew with each
// refit, because a refit moves the mean by many deviations.
//
// The table is settled when its entropy is below 5 % of a uniform one's, or after five refits
// without a better sample; restart() then goes back halfway to uniform.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "berth/base/random.h"
#include "berth/io/archive.h"
#include "berth/learn/post/proximal.h"
#include "berth/learn/post/refit.h"
#include "berth/learn/post/table.h"

namespace berth {

struct JointLoopOptions {
  std::optional<std::size_t> refit_after = 640;  // N samples; empty: never
  RefitOptions refit;
  ProximalOptions proximal;
  bool scaled_advantages = true;
  std::size_t best = 10;  // samples so far that belong to every pool
};

class JointLoop {
 public:
  JointLoop(DeviceTable table, const JointLoopOptions& options);

  const DeviceTable& table() const { return table_; }
  void start_from(DeviceTable table) { table_ = std::move(table); }
  // Distinct and feasible, best first; at least one is kept.
  const std::vector<PostSample>& best() const { return best_; }

  // A sample that the table has not drawn: it can only be among the best.
  void offer(const PostSample& sample);

  struct Update {
    bool refitted = false;
    double divergence = 0;  // of the proximal step
  };
  Update learn(std::span<const PostSample> batch);

  bool is_settled() const;
  void restart();

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  std::vector<double> advantages(std::span<const PostSample> batch);
  void refit_to_pool();

  JointLoopOptions options_;
  DeviceTable table_;
  double beta_ = 1;
  std::optional<double> baseline_;  // b
  std::optional<double> unit_;      // the first batch's mean
  std::vector<PostSample> recent_;  // since the last refit
  std::vector<PostSample> best_;
  int idle_refits_ = 0;                  // without a better sample
  std::optional<double> best_at_refit_;  // value
};

}  // namespace berth
