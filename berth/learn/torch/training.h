// The loop that every learned method shares: updates until the budget is spent, the best placement
// kept, a live line, a curve, and checkpoints.
//
// A method is a Learner: it samples placements, has them scored, and improves its policy, one
// update at a time. All randomness of update k comes from a stream named k, so a training that goes
// on from a checkpoint (checkpoint.h) gives what an uninterrupted one gives.
#pragma once

#include <string>
#include <vector>

#include <torch/torch.h>

#include "berth/base/random.h"
#include "berth/learn/policy_graph.h"
#include "berth/learn/scorer.h"
#include "berth/learn/torch/adam.h"
#include "berth/search/outcome.h"

namespace berth {

struct UpdateReport {
  double reward = 0;           // mean
  double entropy = 0;          // mean per decision, nats
  double groups = 0;           // mean number
  std::vector<double> losses;  // of the epochs, for tests
};

class Learner {
 public:
  virtual ~Learner() = default;
  // Before the first update: imitation of what is already known, say.
  virtual void prepare(Scorer& scorer, Budget& budget, const Rng& rng) = 0;
  // `progress` runs from 0 to 1 over the training.
  virtual UpdateReport update(Scorer& scorer, Budget& budget, const Rng& rng, double progress) = 0;
  virtual torch::nn::Module& network() = 0;
  virtual Adam& optimizer() = 0;
};

struct TrainingOptions {
  int updates = 200;
  std::string checkpoint;  // file to write, after every `checkpoint_every` updates and at the end
  std::string resume;      // file to go on from
  int checkpoint_every = 10;
  std::string identity;  // of the problem and the options
};

// The curve; the scorer's elite has the placements.
std::vector<CurvePoint> train(Learner& learner, Scorer& scorer, const TrainingOptions& options,
                              Budget& budget, const Rng& rng);

}  // namespace berth
