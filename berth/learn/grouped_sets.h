// Groups of co-location sets that get one device each, and placements told in both: the rows of
// Post's table, the steps of a recurrent placer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/learn/parsing.h"
#include "berth/learn/policy_graph.h"

namespace berth {

class GroupedSets {
 public:
  GroupedSets(const PolicyGraph& graph, const Groups& groups);

  std::size_t size() const { return members_.size(); }
  const std::vector<SetGroup>& members() const { return members_; }  // by group: sets
  // Whether all sets of a group may use a device; by group and device, group-major.
  const std::vector<std::uint8_t>& allowed() const { return allowed_; }

  SetDevices expanded(const std::vector<std::uint32_t>& device_of_group) const;
  // The device of each group's first set: undoes expanded().
  std::vector<std::uint32_t> contracted(const SetDevices& devices) const;
  // The share of each group's time that a placement of the sets puts on each device, as `allowed`.
  // Each row sums to one unless the placement is on devices that the group may not use.
  std::vector<double> shares(const SetDevices& devices) const;
  // The allowed device with the largest share.
  std::vector<std::uint32_t> rounded(const SetDevices& devices) const;

 private:
  std::size_t devices_;
  std::vector<double> micros_;  // by set and device
  std::vector<SetGroup> members_;
  std::vector<std::uint32_t> group_of_;
  std::vector<std::uint8_t> allowed_;
};

}  // namespace berth
