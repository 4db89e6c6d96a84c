// The weights that each device holds: those of its nodes, and copies of shared ones.
//
// A weight that several nodes share is a tensor of role kWeight, made by the node that holds it.
// Every run sends it once to each other device that uses it, as TensorFlow's graphs do, but its
// room there is kept all the time: what a device must have for its weights follows from the
// placement alone, whatever the schedule.
//   held(d) = sum of weights(v) over the nodes on d
//           + sum of the shared weights that a node on d uses and none on d holds
// A sum of plain weights, without the copies, is therefore a lower bound of it. The same by units:
// unit_graph.h.
#pragma once

#include "berth/unit_graph.h"

namespace berth {

// Of any placement, by nodes. O(V + users of shared weights), no allocation.
class NodeWeights {
 public:
  explicit NodeWeights(const Graph& graph, std::size_t device_count);
  // Bytes by device; valid until the next call.
  std::span<const std::int64_t> held(std::span<const DeviceId> device_of);

 private:
  struct Shared {
    NodeId holder;
    std::int64_t bytes;
    std::vector<NodeId> users;
  };
  std::vector<std::int64_t> weights_;  // by node
  std::vector<Shared> shared_;
  std::vector<std::int64_t> held_;
  std::vector<std::size_t> last_;  // by device: the shared weight that it had last, + 1
};

// Of units that come and go one by one. O(shared weights of the unit) each.
class UnitWeights {
 public:
  explicit UnitWeights(const Problem& problem);

  Bytes on(DeviceId device) const { return Bytes{held_[index(device)]}; }
  // On the device if the unit, which is not there, came as well.
  Bytes with(UnitId unit, DeviceId device) const { return on(device) + brought_by(unit, device); }
  void add(UnitId unit, DeviceId device);
  void remove(UnitId unit, DeviceId device);

 private:
  Bytes brought_by(UnitId unit, DeviceId device) const;
  std::uint32_t& present(std::uint32_t shared, DeviceId device) {
    return present_[shared * held_.size() + index(device)];
  }

  const UnitGraph* units_;              // of the problem
  std::vector<std::int64_t> held_;      // by device
  std::vector<std::uint32_t> present_;  // units of each shared weight on each device
};

}  // namespace berth
