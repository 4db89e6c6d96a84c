// The options of `post`, and its two presets.
//
// `paper` is the published method as far as it is known: a uniform table, plain advantages, refits
// to the best tenth of the last samples, no seeds. What is not published (sizes of batches, rates)
// has values of ours. `berth` starts from the heuristics, scales advantages, smooths refits, keeps
// the best samples so far in every pool, and starts anew when the table has settled. A preset sets
// every option; keys written after it override it.
//
// The sizes of `berth` come from a study without seeds on training problems that are in no table
// (docs/results.md): small batches, and steps that go far. While rows are broad, the proximal steps
// between two refits gain more than the refit does; when rows are sharp they stall, and the refit,
// which remembers the best samples, mostly goes on. PPO alone was tuned on the same problems: at
// 2 400 samples these values are the best that were found for it too, so `refit=never` has them.
//
// Gao, Chen, Li: Post: Device Placement with Cross-Entropy Minimization and Proximal Policy
// Optimization, NeurIPS 2018.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/options.h"
#include "berth/learn/learned_options.h"

namespace berth {

enum class PostPreset { kBerth, kPaper };
template <>
struct OptionNames<PostPreset> {
  static constexpr std::array<std::pair<const char*, PostPreset>, 2> values{
      {{"berth", PostPreset::kBerth}, {"paper", PostPreset::kPaper}}};
};

// What the table learns from: the simulator, or after it real runs too.
enum class PostStage { kSimulate, kMeasure };
template <>
struct OptionNames<PostStage> {
  static constexpr std::array<std::pair<const char*, PostStage>, 2> values{
      {{"simulate", PostStage::kSimulate}, {"measure", PostStage::kMeasure}}};
};

enum class PostGrouping { kEdges, kAll };
template <>
struct OptionNames<PostGrouping> {
  static constexpr std::array<std::pair<const char*, PostGrouping>, 2> values{
      {{"edges", PostGrouping::kEdges}, {"all", PostGrouping::kAll}}};
};

enum class PostRefit { kElite, kNever };
template <>
struct OptionNames<PostRefit> {
  static constexpr std::array<std::pair<const char*, PostRefit>, 2> values{
      {{"elite", PostRefit::kElite}, {"never", PostRefit::kNever}}};
};

struct PostOptions : LearnedOptions {
  PostPreset preset = PostPreset::kBerth;
  PostStage stage = PostStage::kSimulate;
  PostGrouping grouping = PostGrouping::kEdges;
  int groups = 128;
  PostRefit refit = PostRefit::kElite;
  int refit_every = 80;      // N, at least
  int refits = 30;           // N is at least the part of all samples that leaves so many; 0: any
  double share = 0.2;        // rho
  int elite_per_device = 2;  // N is at least this many elites per device, over rho
  double smoothing = 0.7;    // alpha; 1: none
  int pool = 10;             // best samples so far in every pool
  int ppo_steps = 10;
  double rate = 1;
  double divergence = 1;  // target of KL
  bool scaled = true;     // advantages of log T, by the batch's deviation
  bool restart = true;    // when settled, from a table half uniform
  bool moves = true;      // of single groups of the best, before a restart and at the end
  int samples = 240;      // measure

  PostOptions() {
    updates = 3200;
    rollouts = 8;  // K
    elite = 32;    // the candidates of real runs among them
    refine = 250;
  }
  static PostOptions of(PostPreset preset) {
    PostOptions options;
    if (preset == PostPreset::kBerth) return options;
    options.preset = preset;
    options.updates = 200;
    options.rollouts = 12;
    options.refit_every = 144;
    options.share = options.rate = options.divergence = 0.1;
    options.smoothing = 1;
    options.refits = options.elite_per_device = options.pool = 0;
    options.refine = 0;
    options.seeds = options.scaled = options.restart = options.moves = false;
    return options;
  }
  double samples_in_all() const {  // of the training
    return std::max(static_cast<double>(updates) * rollouts, 1.0);
  }
  // Real runs come after the training: a checkpoint of the simulator's stage serves both stages.
  void keep_training_only() {
    const PostOptions plain;
    LearnedOptions::keep_training_only();
    stage = plain.stage;
    samples = plain.samples;
    measurements = plain.measurements;
    candidates = plain.candidates;
  }
  // What a canonical spec need not say beside its preset.
  PostOptions understood() const {
    PostOptions options = of(preset);
    options.preset = PostPreset::kBerth;
    return options;
  }

  void check() const;

  void visit(auto& v) {
    const PostPreset before = preset;
    v("preset", preset, "berth, or paper: sets every other option");
    if (preset != before) *this = of(preset);
    v("stage", stage, "simulate, or measure: then real runs teach the table, and decide");
    v("grouping", grouping, "edges: sets joined along heavy edges; all: every co-location set");
    v("groups", groups, "edges: at most so many");
    v("updates", updates, "of the table");
    v("rollouts", rollouts, "placements per update");
    v("refit", refit, "elite: the table is fitted to the best samples; or never");
    v("refit_every", refit_every, "samples between refits, at least");
    v("refits", refits, "in the whole training at most; 0: no such limit");
    v("share", share, "of the samples that are elite");
    v("elite_per_device", elite_per_device, "at least so many elite samples per device");
    v("smoothing", smoothing, "weight of the elite against the table before; 1: no smoothing");
    v("pool", pool, "best samples so far that belong to every pool");
    v("ppo_steps", ppo_steps, "proximal steps per update; 0: refits only");
    v("rate", rate, "of a proximal step");
    v("divergence", divergence, "that proximal steps aim at, in nats for all groups together");
    v("scaled", scaled, "advantages of log times, scaled by their deviation");
    v("restart", restart, "go back halfway to uniform when the table has settled");
    v("moves", moves, "try single groups of the best elsewhere, before a restart and at the end");
    v("seeds", seeds, "start from the best heuristics and never return worse");
    v("refine", refine, "small changes of the best placements tried, per update");
    v("samples", samples, "measure: placements that are drawn and run");
    v("measurements", measurements, "measure: real runs for the choice at the end, at most");
    v("candidates", candidates, "measure: placements among which they choose");
    v("checkpoint", checkpoint, "file to keep the training in");
    v("resume", resume, "file to go on from");
    reward = stage == PostStage::kMeasure ? Reward::kMeasured : Reward::kSimulated;
  }
};

}  // namespace berth
