// The options that every learned method has: how long it trains, from what, and what decides.
//
// A method derives its options from these and lists them in its visit(): all of them by
// LearnedOptions::visit, or in an order of its own.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "berth/base/options.h"
#include "berth/learn/policy_graph.h"

namespace berth {

// Where the time of a placement comes from in the end.
enum class Reward { kSimulated, kMeasured };
template <>
struct OptionNames<Reward> {
  static constexpr std::array<std::pair<const char*, Reward>, 2> values{
      {{"simulated", Reward::kSimulated}, {"measured", Reward::kMeasured}}};
};

template <>
struct OptionNames<Colocation> {
  static constexpr std::array<std::pair<const char*, Colocation>, 3> values{
      {{"units", Colocation::kUnits},
       {"chains", Colocation::kChains},
       {"parents", Colocation::kParents}}};
};

struct LearnedOptions {
  Colocation colocation = Colocation::kUnits;  // what is never split
  int updates = 200;
  int rollouts = 32;  // per update
  bool seeds = true;  // heuristics first, never undercut
  int elite = 16;     // best placements kept
  int refine = 500;   // small changes of the best placements, per update
  Reward reward = Reward::kSimulated;
  int measurements = 100;  // measured: at most so many
  int candidates = 32;     // measured: best placements of the training that are run
  std::string checkpoint;  // file to keep the training in
  std::string resume;      // file to go on from

  // What a training depends on stays: that is its name in checkpoints.
  void keep_training_only() { checkpoint = resume = ""; }

  void visit(auto& v) {
    v("updates", updates, "of the policy");
    v("rollouts", rollouts, "placements per update");
    v("seeds", seeds, "start from the best heuristics and never return worse");
    v("elite", elite, "best placements kept");
    v("refine", refine, "small changes of the best placements tried, per update");
    visit_choice_and_files(v);
  }
  void visit_choice_and_files(auto& v) {
    v("reward", reward, "simulated, or measured: the best are run for real, and that decides");
    v("measurements", measurements, "measured: at most so many real runs, of a few requests each");
    v("candidates", candidates, "measured: best placements of the training that are run");
    v("checkpoint", checkpoint, "file to keep the training in");
    v("resume", resume, "file to go on from");
  }
};

}  // namespace berth
