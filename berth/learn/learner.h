// What a learned method is: it proposes placements and learns from what they cost.
//
// Everything else is the loop's (train.h): scoring, the elite and its refinement, the curve,
// checkpoints. Most learners propose all placements of an update at once; one that must see what a
// placement costs before it makes the next one plays them instead. A learner may be a network or a
// table of probabilities; it learns from one task or from several in turn. All its randomness comes
// from the streams that it is given, so that a training that goes on from a checkpoint gives what
// an uninterrupted one gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "berth/base/random.h"
#include "berth/io/archive.h"
#include "berth/learn/task.h"
#include "berth/search/budget.h"
#include "berth/search/outcome.h"

namespace berth {

struct Samples {
  std::vector<SetDevices> placements;  // to learn from
  std::vector<SetDevices> answers;     // what the policy says without chance: only scored
  std::vector<SetGroup> groups;        // that the policy thinks in, for refinement; may be empty
};

// `progress` runs from 0 to 1 over the training.
class Learner {
 public:
  virtual ~Learner() = default;

  // Before the first update, once for each task: imitation of what is already known, say.
  virtual void prepare(Task&, Budget&, const Rng&) {}

  // The placements of an update come from one of these two.
  //
  // All at once: the loop scores them in one batch.
  virtual Samples propose(const Task&, std::size_t /*count*/, double /*progress*/, const Rng&) {
    return {};
  }
  // `count` episodes side by side, each a sequence of placements: the learner scores them as it
  // goes (placement_walk.h), counts each in the budget, ends when that is spent, and returns all.
  virtual std::vector<Scored> play(const Task&, std::size_t /*count*/, double /*progress*/, Budget&,
                                   const Rng&) {
    return {};
  }

  // From the placements of the last proposal or play, in their order, with the same task, progress
  // and stream. The elite holds them already. Another thread uses the task's environment meanwhile.
  virtual Metrics learn(const Task& task, std::span<const Scored> samples, double progress,
                        const Rng& rng) = 0;

  // More answers, of the policy as it now is: for those that a proposal cannot have.
  virtual std::vector<SetDevices> answers(const Task&, double /*progress*/) { return {}; }

  // After the training, where real runs decide: what it would have them decide between, best first.
  // A learner may have placements run and learn from that.
  virtual std::vector<SetDevices> learn_measured(Task&, Budget&, const Rng&) { return {}; }

  // Whatever the next update depends on.
  virtual void save(Archive& archive) const = 0;
  virtual void load(const Archive& archive) = 0;
};

using MakeLearner = std::function<std::unique_ptr<Learner>(const Task& task, std::uint64_t seed)>;

}  // namespace berth
