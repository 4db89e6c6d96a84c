#include "berth/learn/grouped_sets.h"

#include <algorithm>

namespace berth {
namespace {

constexpr double kLeastMicros = 1e-6;  // so that work without time counts too

}  // namespace

GroupedSets::GroupedSets(const PolicyGraph& graph, const Groups& groups)
    : devices_(graph.device_count),
      micros_(graph.micros),
      members_(groups.count),
      group_of_(groups.group_of),
      allowed_(groups.count * graph.device_count, 1) {
  for (std::uint32_t set = 0; set < graph.size(); ++set) {
    members_[group_of_[set]].push_back(set);
    for (std::size_t d = 0; d < devices_; ++d)
      if (!graph.may_use(set, d)) allowed_[group_of_[set] * devices_ + d] = 0;
  }
}

SetDevices GroupedSets::expanded(const std::vector<std::uint32_t>& device_of_group) const {
  SetDevices devices;
  devices.reserve(group_of_.size());
  for (const std::uint32_t group : group_of_) devices.push_back(device_of_group[group]);
  return devices;
}

std::vector<std::uint32_t> GroupedSets::contracted(const SetDevices& devices) const {
  std::vector<std::uint32_t> device_of_group;
  for (const SetGroup& members : members_) device_of_group.push_back(devices[members.front()]);
  return device_of_group;
}

std::vector<double> GroupedSets::shares(const SetDevices& devices) const {
  std::vector<double> micros(allowed_.size(), 0.0), sum(members_.size(), 0.0);
  for (std::size_t set = 0; set < devices.size(); ++set) {
    const std::size_t at = group_of_[set] * devices_ + devices[set];
    if (allowed_[at] == 0) continue;
    const double weight = micros_[set * devices_ + devices[set]] + kLeastMicros;
    micros[at] += weight;
    sum[group_of_[set]] += weight;
  }
  for (std::size_t i = 0; i < micros.size(); ++i)
    if (sum[i / devices_] > 0) micros[i] /= sum[i / devices_];
  return micros;
}

std::vector<std::uint32_t> GroupedSets::rounded(const SetDevices& devices) const {
  const std::vector<double> share = shares(devices);
  std::vector<std::uint32_t> device_of_group;
  for (std::size_t group = 0; group < members_.size(); ++group) {
    std::uint32_t best = 0;
    double largest = -1;
    for (std::uint32_t d = 0; d < devices_; ++d) {
      const std::size_t at = group * devices_ + d;
      if (allowed_[at] == 0 || share[at] <= largest) continue;
      best = d;
      largest = share[at];
    }
    device_of_group.push_back(best);
  }
  return device_of_group;
}

}  // namespace berth
