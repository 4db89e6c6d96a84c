// The options that `coloc-rl` and `hdp` share: the recurrent placer, and how it learns.
//
// Both are baselines: they start from nothing, and what they find is what their policy has drawn.
#pragma once

#include "berth/learn/learned_options.h"

namespace berth {

struct RecurrentOptions : LearnedOptions {
  int hidden = 256;        // of each LSTM, as in HDP
  int attention = 64;      // width in which groups are compared with the decoder
  bool aligned = true;     // the decoder reads the group that it decides
  double tanh = 0;         // bound of the logits; 0: none
  double temperature = 1;  // that logits are divided by, before the bound
  double rate = 1e-3;      // of Adam
  double decay = 0.9;      // of the moving average
  double failure = 10;     // root of the time, relative to the reference, that a failure counts as
  bool graded = true;      // failures: worse the more they overflow

  RecurrentOptions() {
    seeds = false;
    refine = 0;
  }

  // Throws Error: widths below 1, a temperature or a rate that is not positive, a decay outside of
  // 0 to 1.
  void check(const char* method) const;

  void visit_network(auto& v) {
    v("hidden", hidden, "width of each LSTM");
    v("attention", attention, "width of the attention over groups");
    v("aligned", aligned, "the decoder also reads the group that it decides");
    v("tanh", tanh, "bound of the logits; 0: none");
    v("temperature", temperature, "that logits are divided by, before the bound");
  }
  void visit_learning(auto& v) {
    v("rate", rate, "learning rate of Adam");
    v("decay", decay, "of the moving average that rewards are compared with");
    v("failure", failure, "reward of a failed placement, negative: a root of relative time");
    v("graded", graded, "failed placements: worse the more they overflow");
    LearnedOptions::visit(v);
  }
};

}  // namespace berth
