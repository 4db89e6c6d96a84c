#include "berth/learn/rollouts.h"

#include <algorithm>
#include <cassert>

namespace berth {
namespace {

Groups without_impossible(const PolicyGraph& graph, Groups groups) {
  const std::size_t devices = graph.device_count;
  std::vector<std::uint8_t> allowed(groups.count * devices, 1), possible(groups.count, 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    for (std::size_t d = 0; d < devices; ++d)
      if (!graph.may_use(v, d)) allowed[groups.group_of[v] * devices + d] = 0;
  for (std::size_t i = 0; i < allowed.size(); ++i) possible[i / devices] |= allowed[i];
  if (std::find(possible.begin(), possible.end(), 0) == possible.end()) return groups;
  // What is left of the numbering stays dense: the first node of a dissolved group keeps its
  // number.
  std::vector<std::uint8_t> taken(groups.count, 0);
  for (std::uint32_t& group : groups.group_of) {
    if (possible[group] != 0) continue;
    if (taken[group] != 0) {
      group = groups.count++;
      possible.push_back(1);
    } else {
      taken[group] = 1;
    }
  }
  return groups;
}

std::uint64_t hash_of(const SetGroup& nodes) {
  std::uint64_t hash = nodes.size();
  for (const std::uint32_t node : nodes) {
    hash = (hash ^ node) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

bool may_use(const PolicyGraph& graph, const SetGroup& group, std::size_t device) {
  return std::all_of(group.begin(), group.end(),
                     [&](std::uint32_t node) { return graph.may_use(node, device); });
}

std::size_t Rollouts::group_with(SetGroup nodes) {
  const std::uint64_t hash = merge_ ? hash_of(nodes) : 0;
  if (merge_) {
    const auto [first, last] = known_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (members[it->second] == nodes) return it->second;
    known_.emplace(hash, members.size());
  }
  first_row.push_back(own_rows_ ? static_cast<std::int64_t>(count_ * graph_->size()) : 0);
  members.push_back(std::move(nodes));
  return members.size() - 1;
}

void Rollouts::add(Groups wanted, std::span<const std::int64_t> choices) {
  const Groups groups = without_impossible(*graph_, std::move(wanted));
  std::vector<SetGroup> nodes(groups.count);
  const std::uint32_t first = static_cast<std::uint32_t>(decisions());
  for (std::uint32_t v = 0; v < graph_->size(); ++v) {
    nodes[groups.group_of[v]].push_back(v);
    decision_of_.push_back(first + groups.group_of[v]);
  }
  for (SetGroup& group : nodes)
    group_of_decision.push_back(static_cast<std::int64_t>(group_with(std::move(group))));
  rollout_of.resize(decisions(), static_cast<std::int64_t>(count_));
  choice.insert(choice.end(), choices.begin(), choices.end());
  ++count_;
}

void Rollouts::add_part(Groups wanted, std::span<const std::int64_t> choices,
                        std::span<const std::uint32_t> region, const SetDevices& base) {
  const Groups groups = without_impossible(*graph_, std::move(wanted));
  base_ = base;
  std::vector<std::uint32_t> decision(groups.count, kKept);
  std::vector<SetGroup> nodes;
  const std::uint32_t first = static_cast<std::uint32_t>(decisions());
  const std::size_t begin = decision_of_.size();
  decision_of_.resize(begin + graph_->size(), kKept);
  for (const std::uint32_t v : region) {
    std::uint32_t& at = decision[groups.group_of[v]];
    if (at == kKept) {
      at = first + static_cast<std::uint32_t>(nodes.size());
      nodes.emplace_back();
    }
    nodes[at - first].push_back(v);
    decision_of_[begin + v] = at;
  }
  for (SetGroup& group : nodes) {
    std::ranges::sort(group);
    group_of_decision.push_back(static_cast<std::int64_t>(group_with(std::move(group))));
  }
  rollout_of.resize(decisions(), static_cast<std::int64_t>(count_));
  choice.insert(choice.end(), choices.begin(), choices.end());
  ++count_;
}

void Rollouts::append(const Rollouts& other) {
  assert(other.count_ == 1);
  const std::uint32_t first = static_cast<std::uint32_t>(decisions());
  for (const std::uint32_t decision : other.decision_of_) decision_of_.push_back(first + decision);
  for (std::size_t i = 0; i < other.decisions(); ++i) {
    rollout_of.push_back(static_cast<std::int64_t>(count_));
    group_of_decision.push_back(static_cast<std::int64_t>(
        group_with(other.members[static_cast<std::size_t>(other.group_of_decision[i])])));
  }
  choice.insert(choice.end(), other.choice.begin(), other.choice.end());
  device.insert(device.end(), other.device.begin(), other.device.end());
  placements.insert(placements.end(), other.placements.begin(), other.placements.end());
  ++count_;
}

void Rollouts::set_devices(std::span<const std::int64_t> devices) {
  assert(devices.size() == decisions());
  device.assign(devices.begin(), devices.end());
  placements.assign(count_, base_.empty() ? SetDevices(graph_->size()) : base_);
  for (std::size_t i = 0; i < decision_of_.size(); ++i)
    if (decision_of_[i] != kKept)
      placements[i / graph_->size()][i % graph_->size()] =
          static_cast<std::uint32_t>(device[decision_of_[i]]);
}

}  // namespace berth
