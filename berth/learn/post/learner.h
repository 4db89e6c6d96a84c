// Post as a learner: a table of device probabilities for groups of one task's sets.
//
// Sets are joined to groups first (heavy_edge_groups.h), each a row of the table. An update draws
// `rollouts` placements of the groups and learns from them as joint_loop.h says. Values are
// relative to the task's reference; a placement that does not fit counts as
//   (1 + overflow) * max(its time, the longest time of one that fits)
// so it can push the table away, and is never of the elite.
//
// With seeds the table starts as 0.5 uniform + 0.5 mean of the seeds' rows, where a seed that cuts
// a group has shares of its time, and the seeds, rounded to groups, and single devices are the
// first samples. When the table has settled, and again at the end, each group of the best placement
// is tried on each other device once, for a tenth of all samples at most; then the table goes back
// halfway to uniform. With stage=measure it goes on with real runs (measured_stage.h).
//
// Gao, Chen, Li, Post, NeurIPS 2018.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "berth/learn/grouped_sets.h"
#include "berth/learn/learner.h"
#include "berth/learn/post/joint_loop.h"
#include "berth/learn/post/post_options.h"

namespace berth {

class PostLearner : public Learner {
 public:
  PostLearner(const Task& task, const PostOptions& options);

  void prepare(Task& task, Budget& budget, const Rng& rng) override;
  Samples propose(const Task& task, std::size_t count, double progress, const Rng& rng) override;
  Metrics learn(const Task& task, std::span<const Scored> samples, double progress,
                const Rng& rng) override;
  std::vector<SetDevices> learn_measured(Task& task, Budget& budget, const Rng& rng) override;
  void save(Archive& archive) const override;
  void load(const Archive& archive) override;

  const GroupedSets& groups() const { return groups_; }
  const JointLoop& loop() const { return loop_; }

 private:
  enum class Pass { kNone, kBeforeRestart, kAtEnd };  // of moves

  PostSample sample_of(const Task& task, const Scored& scored);
  void begin_pass(Pass pass);
  void end_pass();
  std::size_t pass_length() const;
  std::vector<SetDevices> next_moves(std::size_t count);

  PostOptions options_;
  GroupedSets groups_;
  JointLoop loop_;
  double longest_ = 0;  // time of a placement that fits
  Pass pass_ = Pass::kNone;
  std::size_t moves_left_ = 0;  // of the pass
  std::size_t move_ = 0;        // the next: group and device
  bool had_last_pass_ = false;
};

}  // namespace berth
