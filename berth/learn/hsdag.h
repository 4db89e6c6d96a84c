// `hsdag`: operators grouped and placed by a graph network that learns from execution times.
//
// A graph network scores the edges between co-location sets, highly scored edges join sets to
// groups, a second network gives each group a device, and policy gradients train both on the value
// of the placements that they produce (learn/torch/hsdag/network.h, learn/torch/hsdag/learner.h).
//
// Two presets. `paper` is the published method: symmetric graph convolutions on raw features, one
// grouping by dominant edges, a classifier per group, and REINFORCE on the inverse of the latency,
// with state renewal. `berth` changes what the specification shows to be wrong or weak: directed
// messages, scaled features, groups that are sampled and learned, logits per (group, device) for
// any number of devices, clipped ratios, a policy that sees a placement and draws parts of it anew,
// weighted by what they gain (walk.h), a start from the best heuristics, and annealing beside it by
// what the policy proposes (refine.h); chains are not joined, because a cut inside one may be the
// best (policy_graph.h). A preset sets every option; keys
// written after it override it.
//
// Duan et al., A Structure-Aware Framework for Learning Device Placements on Computation Graphs,
// NeurIPS 2024.
#pragma once

#include <array>
#include <utility>

#include "berth/base/options.h"
#include "berth/learn/learned_options.h"
#include "berth/place/context.h"

namespace berth {

enum class HsdagPreset { kBerth, kPaper };
template <>
struct OptionNames<HsdagPreset> {
  static constexpr std::array<std::pair<const char*, HsdagPreset>, 2> values{
      {{"berth", HsdagPreset::kBerth}, {"paper", HsdagPreset::kPaper}}};
};

// What a node's choice of a neighbour makes of it.
enum class HsdagGrouping { kSampled, kDominant, kNone };
template <>
struct OptionNames<HsdagGrouping> {
  static constexpr std::array<std::pair<const char*, HsdagGrouping>, 3> values{
      {{"sampled", HsdagGrouping::kSampled},
       {"dominant", HsdagGrouping::kDominant},
       {"none", HsdagGrouping::kNone}}};
};

struct HsdagOptions : LearnedOptions {
  HsdagPreset preset = HsdagPreset::kBerth;
  int hidden = 128;
  int layers = 3;        // of messages before edges are scored
  bool directed = true;  // messages from predecessors and successors apart
  bool scaled = true;    // features scaled, types embedded, devices told by features
  HsdagGrouping grouping = HsdagGrouping::kSampled;
  bool all_levels = false;  // dominant: group the groups until nothing changes
  bool advantage = true;    // reward -log(l / l_ref) against other rollouts, clipped, with entropy
  bool improve = true;      // the policy sees a placement and draws parts of it anew (walk.h)
  bool renewal = false;     // features += output of the group, from step to step
  double dropout = 0;
  double rate = 3e-4;  // of Adam
  int epochs = 1;      // passes over the rollouts of an update
  double gamma = 1;
  double clip = 0.2;
  double entropy = 0.01;  // weight at the start; a tenth of it at the end
  int imitation = 200;    // steps of imitation of the best seed, where nothing is improved
  bool shape = true, index = true, structure = true;  // blocks of the paper's features

  HsdagOptions() {
    updates = 600;
    rollouts = 16;
    refine = 200;
  }
  static HsdagOptions of(HsdagPreset preset) {
    HsdagOptions options;
    if (preset == HsdagPreset::kBerth) return options;
    options.preset = preset;
    options.colocation = Colocation::kChains;
    options.layers = 2;
    options.directed = options.scaled = options.advantage = options.seeds = false;
    options.improve = false;
    options.grouping = HsdagGrouping::kDominant;
    options.renewal = true;
    options.dropout = 0.2;
    options.rate = 1e-4;
    options.updates = 100;
    options.rollouts = 20;
    options.epochs = 4;
    options.gamma = 0.95;
    options.entropy = 0;
    options.imitation = options.elite = options.refine = 0;
    return options;
  }
  // What is improved must be told to the network, by features of (group, device) pairs.
  bool improves() const { return improve && scaled && advantage && !renewal; }
  // What a canonical spec need not say beside its preset.
  HsdagOptions understood() const {
    HsdagOptions options = of(preset);
    options.preset = HsdagPreset::kBerth;
    return options;
  }

  void visit(auto& v) {
    const HsdagPreset before = preset;
    v("preset", preset, "berth, or paper: sets every other option");
    if (preset != before) *this = of(preset);
    v("colocation", colocation, "what is never split: units, chains (the paper's) or parents");
    v("hidden", hidden, "width of the network");
    v("layers", layers, "rounds of messages before edges are scored");
    v("directed", directed, "messages from predecessors and successors apart");
    v("scaled", scaled, "scaled features, embedded types, devices told by features");
    v("grouping", grouping, "sampled, dominant (the paper's), or none: co-location sets");
    v("all_levels", all_levels, "dominant: group the groups until nothing changes");
    v("advantage", advantage, "log reward against the other rollouts, clipped ratios, entropy");
    v("improve", improve, "the policy sees a placement and draws parts of it anew");
    v("renewal", renewal, "add the group's output to the features from step to step");
    v("dropout", dropout, "share of activations dropped in training");
    v("rate", rate, "learning rate of Adam");
    v("updates", updates, "of the policy; the paper's episodes");
    v("rollouts", rollouts, "placements per update; the paper's steps");
    v("epochs", epochs, "passes over the rollouts of an update");
    v("gamma", gamma, "discount per step (without advantage)");
    v("clip", clip, "of each decision's ratio");
    v("entropy", entropy, "weight at the start, a tenth of it at the end");
    v("seeds", seeds, "start from the best heuristics and never return worse");
    v("imitation", imitation, "steps of imitation of the best seed (without improve)");
    v("elite", elite, "best placements to replay");
    v("refine", refine, "small changes of the best placements tried, per update");
    v("shape", shape, "paper's features: output shape");
    v("index", index, "paper's features: topological index");
    v("structure", structure, "paper's features: degrees and fractal dimension");
    visit_choice_and_files(v);
  }
};

// Throws Error when this build or machine has no LibTorch.
void hsdag(const Context& context, const HsdagOptions& options);

}  // namespace berth
