#include "berth/place/learned/refine.h"

#include <algorithm>

namespace berth {
namespace {

// The best one half of the time: others keep the search from ending in its first valley.
const Scorer::Elite& drawn_member(const std::vector<Scorer::Elite>& elite, Rng& rng) {
  return rng.below(2) == 0 ? elite.front() : elite[rng.below(elite.size())];
}

// Gives the group a device that all its sets may use and at least one does not use yet, if any.
void move_group(const PolicyGraph& graph, const SetGroup& group, SetDevices& devices, Rng& rng) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t d = 0; d < graph.device_count; ++d) {
    const auto may_use = [&](std::uint32_t set) { return graph.may_use(set, d); };
    const auto is_there = [&](std::uint32_t set) { return devices[set] == d; };
    if (std::all_of(group.begin(), group.end(), may_use) &&
        !std::all_of(group.begin(), group.end(), is_there))
      targets.push_back(d);
  }
  if (targets.empty()) return;
  const std::uint32_t target = targets[rng.below(targets.size())];
  for (const std::uint32_t set : group) devices[set] = target;
}

}  // namespace

void refine_elite(Scorer& scorer, const PolicyGraph& graph, std::span<const SetGroup> groups,
                  int moves, Budget& budget, Rng& rng) {
  if (scorer.elite().empty() || groups.empty()) return;
  Scorer::Elite current = drawn_member(scorer.elite(), rng);
  for (int i = 0; i < moves && !budget.spent(); ++i) {
    SetDevices next = current.devices;
    const std::uint64_t together = 1 + rng.below(2);
    for (std::uint64_t j = 0; j < together; ++j)
      move_group(graph, groups[rng.below(groups.size())], next, rng);
    if (next == current.devices) continue;  // nowhere to go, or there and back
    const Score score = scorer.score({&next, 1}, budget).front();
    if (score.feasible() && !(current.score < score)) current = {std::move(next), score};
  }
}

}  // namespace berth
