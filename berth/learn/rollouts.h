// Placements drawn by a policy of groups, side by side: what was decided, and about which groups.
//
// A rollout groups the nodes of the graph and gives every group a device. As a policy learns, the
// same groups come again and again in the rollouts of one update; where all rollouts see the same
// encoding of the graph such groups have the same probabilities, so they are kept once. A decision
// is a (rollout, group) pair, and the network works on the groups.
//
// Nodes are flat: node v of rollout i is i * n + v.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "berth/learn/parsing.h"
#include "berth/learn/policy_graph.h"

namespace berth {

class Rollouts {
 public:
  // `own_rows`: every rollout has an encoding of its own; then, and without `merge`, no groups are
  // shared.
  Rollouts(const PolicyGraph& graph, bool own_rows, bool merge)
      : graph_(&graph), own_rows_(own_rows), merge_(merge && !own_rows) {}

  // The nodes of a group that no device may run as a whole stay alone. `choices` are what the nodes
  // chose, if they did.
  void add(Groups groups, std::span<const std::int64_t> choices);
  // The same where only the nodes of a region are decided about; all others keep the device that
  // they have in `base`. No group reaches out of the region.
  void add_part(Groups groups, std::span<const std::int64_t> choices,
                std::span<const std::uint32_t> region, const SetDevices& base);
  // One rollout with its devices, drawn apart.
  void append(const Rollouts& other);
  // The device of each decision, in the order of decisions.
  void set_devices(std::span<const std::int64_t> devices);

  std::size_t count() const { return count_; }
  std::size_t decisions() const { return group_of_decision.size(); }
  std::size_t groups() const { return members.size(); }
  std::size_t rows() const { return own_rows_ ? count_ * graph_->size() : graph_->size(); }
  // The decision that each flat node follows.
  std::span<const std::uint32_t> decision_of_node() const { return decision_of_; }

  std::vector<std::int64_t> choice;             // by flat node: into the list of choices
  std::vector<std::int64_t> rollout_of;         // by decision
  std::vector<std::int64_t> group_of_decision;  // by decision
  std::vector<std::int64_t> device;             // by decision
  std::vector<SetGroup> members;                // by group: nodes
  std::vector<std::int64_t> first_row;          // by group: the row of the encoding of node 0
  std::vector<SetDevices> placements;           // by rollout

 private:
  static constexpr std::uint32_t kKept = 0xffffffff;  // a flat node without decision
  std::size_t group_with(SetGroup nodes);

  const PolicyGraph* graph_;
  bool own_rows_, merge_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> decision_of_;                     // by flat node, or kKept
  SetDevices base_;                                            // of parts
  std::unordered_multimap<std::uint64_t, std::size_t> known_;  // by hash of the members
};

// Whether all nodes of the group may use the device.
bool may_use(const PolicyGraph& graph, const SetGroup& group, std::size_t device);

}  // namespace berth
