#include "berth/learn/refine.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

// The best one half of the time: others keep the search from ending in its first valley.
const Scored& drawn_member(const Elite& elite, Rng& rng) {
  return rng.below(2) == 0 ? elite.best() : elite.members()[rng.below(elite.members().size())];
}

// Gives the group a device that all its sets may use and at least one does not use yet, if any.
void move_group(const PolicyGraph& graph, std::span<const std::uint32_t> group, SetDevices& devices,
                Rng& rng) {
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

// `size` sets around one, nearest first.
SetGroup neighbourhood(const PolicyGraph& graph, std::size_t size, Rng& rng) {
  SetGroup found{static_cast<std::uint32_t>(rng.below(graph.size()))};
  std::vector<std::uint8_t> is_found(graph.size(), 0);
  is_found[found.front()] = 1;
  for (std::size_t i = 0; i < found.size() && found.size() < size; ++i)
    for (const Adjacency* edges : {&graph.successors, &graph.predecessors})
      for (const std::uint32_t next : (*edges)[found[i]])
        if (is_found[next] == 0 && found.size() < size) {
          is_found[next] = 1;
          found.push_back(next);
        }
  return found;
}

// `size` sets in topological order, fewer at its end.
SetGroup stretch(const PolicyGraph& graph, std::size_t size, Rng& rng) {
  const std::size_t begin = rng.below(graph.size());
  SetGroup found;
  for (std::size_t set = begin; set < std::min(begin + size, graph.size()); ++set)
    found.push_back(static_cast<std::uint32_t>(set));
  return found;
}

void copy_region(const PolicyGraph& graph, const SetDevices& from, SetDevices& devices, Rng& rng) {
  const std::size_t size = 2 + rng.below(std::max<std::size_t>(graph.size() / 4, 2));
  const SetGroup region =
      rng.below(2) == 0 ? neighbourhood(graph, size, rng) : stretch(graph, size, rng);
  for (const std::uint32_t set : region) devices[set] = from[set];
}

const SetDevices& any_of(std::span<const Scored> placements, Rng& rng) {
  return placements[rng.below(placements.size())].devices;
}

SetDevices changed(const SetDevices& devices, const Task& task, const Refinement& refinement,
                   Rng& rng) {
  SetDevices next = devices;
  const std::size_t kind = rng.below(3);
  if (kind == 0) {
    const bool from_elite = rng.below(2) == 0;
    const SetDevices& from = any_of(from_elite ? task.elite.members() : refinement.samples, rng);
    copy_region(task.graph, from, next, rng);
    return next;
  }
  for (std::size_t together = 1 + rng.below(2); together > 0; --together) {
    const std::uint32_t set = static_cast<std::uint32_t>(rng.below(task.graph.size()));
    if (kind == 1 && !refinement.groups.empty())
      move_group(task.graph, refinement.groups[rng.below(refinement.groups.size())], next, rng);
    else
      move_group(task.graph, {&set, 1}, next, rng);
  }
  return next;
}

}  // namespace

Elite refined_elite(Task& task, const Refinement& refinement, Budget& budget, Rng rng) {
  Elite elite = task.elite;
  if (elite.empty() || refinement.samples.empty()) return elite;
  Scored current = drawn_member(task.elite, rng);
  for (int i = 0; i < refinement.moves && !budget.spent(); ++i) {
    Scored next{changed(current.devices, task, refinement, rng), {}};
    if (next.devices == current.devices) continue;  // nowhere to go, or there and back
    next.score = task.environment.score({&next.devices, 1}, budget).front();
    elite.admit(next);
    if (!next.score.feasible()) continue;
    const double rise = next.score.value / current.score.value - 1;
    if (rise <= 0 || rng.uniform() < std::exp(-rise / std::max(refinement.temperature, 1e-12)))
      current = std::move(next);
  }
  return elite;
}

}  // namespace berth
