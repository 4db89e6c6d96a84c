#include "berth/sim/held_weights.h"

namespace berth {

NodeWeights::NodeWeights(const Graph& graph, std::size_t device_count)
    : held_(device_count, 0), last_(device_count, 0) {
  for (const NodeId node : graph.nodes()) weights_.push_back(graph.node(node).weights.count);
  for (const TensorId tensor : graph.tensors()) {
    if (!graph.is_weight(tensor)) continue;
    const std::span<const NodeId> users = graph.consumers(tensor);
    shared_.push_back(
        {graph.producer(tensor), graph.tensor(tensor).size.count, {users.begin(), users.end()}});
  }
}

std::span<const std::int64_t> NodeWeights::held(std::span<const DeviceId> device_of) {
  held_.assign(held_.size(), 0);
  last_.assign(last_.size(), 0);
  for (std::size_t i = 0; i < device_of.size(); ++i) held_[index(device_of[i])] += weights_[i];
  for (std::size_t s = 0; s < shared_.size(); ++s) {
    const Shared& shared = shared_[s];
    last_[index(device_of[index(shared.holder)])] = s + 1;
    for (const NodeId user : shared.users) {
      const std::size_t device = index(device_of[index(user)]);
      if (last_[device] == s + 1) continue;
      last_[device] = s + 1;
      held_[device] += shared.bytes;
    }
  }
  return held_;
}

UnitWeights::UnitWeights(const Problem& problem)
    : units_(&unit_graph(problem)),
      held_(problem.device_count(), 0),
      present_(units_->shared_weights().size() * problem.device_count(), 0) {}

Bytes UnitWeights::brought_by(UnitId unit, DeviceId device) const {
  Bytes sum = units_->private_weights(unit);
  for (const std::uint32_t shared : units_->shared_weights(unit))
    if (present_[shared * held_.size() + index(device)] == 0)
      sum += units_->shared_weights()[shared].size;
  return sum;
}

void UnitWeights::add(UnitId unit, DeviceId device) {
  held_[index(device)] += brought_by(unit, device).count;
  for (const std::uint32_t shared : units_->shared_weights(unit)) ++present(shared, device);
}

void UnitWeights::remove(UnitId unit, DeviceId device) {
  for (const std::uint32_t shared : units_->shared_weights(unit)) --present(shared, device);
  held_[index(device)] -= brought_by(unit, device).count;
}

}  // namespace berth
