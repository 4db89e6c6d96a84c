#include "bench/post/competitors.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/learn/post/post_options.h"
#include "berth/place/registry.h"

namespace berth::bench {
namespace {

// As many updates as the limit allows, and nothing but learning: no annealing beside it. What else
// is asked for comes after them.
std::string post(std::uint64_t limit, std::vector<std::string> keys) {
  const std::uint64_t batch = static_cast<std::uint64_t>(PostOptions().rollouts);
  keys.insert(keys.begin(), {fmt::format("updates={}", (limit + batch - 1) / batch), "refine=0"});
  return fmt::format("post({})", fmt::join(keys, ","));
}

// Without seeds where it has such an option; the limit ends it.
std::string coloc_rl(std::uint64_t limit) {
  std::vector<std::string> keys;
  for (const OptionHelp& option : find_placer("coloc-rl").options()) {
    if (option.key == "updates") keys.push_back(fmt::format("updates={}", limit));
    if (option.key == "seeds") keys.emplace_back("seeds=false");
  }
  return fmt::format("coloc-rl({})", fmt::join(keys, ","));
}

Competitor random(std::uint64_t limit) {
  return {"random", {fmt::format("random(samples={})", limit)}};
}

}  // namespace

bool knows_method(const std::string& name) {
  return std::ranges::any_of(placers(), [&](const PlacerEntry& e) { return e.name == name; });
}

Comparison learning_alone(std::uint64_t limit) {
  Comparison result{"Learning alone, without seeds", {}};
  result.columns = {{"`post(seeds=false)`", {post(limit, {"seeds=false"})}},
                    {"PPO alone", {post(limit, {"refit=never", "seeds=false"})}},
                    {"CE alone", {post(limit, {"ppo_steps=0", "seeds=false"})}}};
  if (knows_method("coloc-rl")) result.columns.push_back({"`coloc-rl`", {coloc_rl(limit)}});
  result.columns.push_back(random(limit));
  return result;
}

Comparison from_heuristics(std::uint64_t limit) {
  Comparison result{"From the heuristics", {}};
  result.columns = {{"`post`", {post(limit, {})}},
                    {"PPO alone", {post(limit, {"refit=never"})}},
                    {"CE alone", {post(limit, {"ppo_steps=0"})}},
                    {"`anneal`", {fmt::format("anneal(steps={})", limit)}},
                    {"best heuristic",
                     {"greedy", "heft", "etf", "m-topo", "m-etf", "device-map", "min-cut"},
                     false},
                    {"one device", {"single-device"}, false}};
  return result;
}

std::vector<Competitor> ablation(std::uint64_t limit) {
  const auto variant = [&](const char* name, std::vector<std::string> keys) {
    keys.emplace_back("seeds=false");
    return Competitor{name, {post(limit, std::move(keys))}};
  };
  std::vector<Competitor> rows{
      variant("both updates", {}),
      variant("cross-entropy alone", {"ppo_steps=0"}),
      variant("PPO alone", {"refit=never"}),
      variant("no smoothing (alpha 1)", {"smoothing=1"}),
      variant("alpha 0.4", {"smoothing=0.4"}),
      variant("no pool of the best so far", {"pool=0"}),
      {"with seeds", {post(limit, {})}},
      variant("32 groups", {"groups=32"}),
      variant("every co-location set a group", {"grouping=all"}),
      {"`post(preset=paper)`",
       {fmt::format(
           "post(preset=paper,updates={})",
           limit / static_cast<std::uint64_t>(PostOptions::of(PostPreset::kPaper).rollouts))}}};
  if (knows_method("coloc-rl")) rows.push_back({"`coloc-rl`", {coloc_rl(limit)}});
  rows.push_back(random(limit));
  return rows;
}

}  // namespace berth::bench
