#include "berth/sim/load_state.h"

namespace berth {

LoadState::LoadState(const Problem& problem, const UnitDevices& device_of)
    : unit_device_(device_of) {
  LoadEvaluator evaluator(problem);
  const Placement placement = from_units(problem, device_of);
  evaluator.run(placement.device_of.items());
  tables_ = evaluator.tables();
  loads_ = evaluator.loads();
  for (const DeviceId device : placement.device_of)
    device_.push_back(static_cast<std::uint16_t>(device));
  const std::size_t tensors = tables_->producer.size();
  receivers_.resize(tables_->use.size());
  use_count_.assign(tensors, 0);
  touched_stamp_.assign(tensors, 0);
  for (std::uint32_t tensor = 0; tensor < tensors; ++tensor)
    for (std::uint32_t u = tables_->use_begin[tensor]; u < tables_->use_begin[tensor + 1]; ++u)
      count_use(tensor, device_[tables_->use[u]], 1);
}

void LoadState::count_use(std::uint32_t tensor, std::uint16_t device, int change) {
  Receiver* const first = &receivers_[tables_->use_begin[tensor]];
  Receiver* const last = first + use_count_[tensor];
  for (Receiver* at = first; at != last; ++at)
    if (at->device == device) {
      at->consumers = static_cast<std::uint32_t>(static_cast<int>(at->consumers) + change);
      if (at->consumers == 0) {
        *at = *(last - 1);
        --use_count_[tensor];
      }
      return;
    }
  assert(change > 0);
  *last = {device, static_cast<std::uint32_t>(change)};
  ++use_count_[tensor];
}

void LoadState::charge(std::uint32_t tensor, double sign) {
  const Receiver* const first = receivers_.data() + tables_->use_begin[tensor];
  tables_->charge(loads_, tensor, device_[tables_->producer[tensor]], {first, use_count_[tensor]},
                  sign, reached_);
}

void LoadState::move(UnitId unit, DeviceId device) {
  const DeviceId old = unit_device_[unit];
  if (old == device) return;
  const Problem& problem = tables_->problem;
  const Graph& graph = problem.graph();
  const std::uint16_t from = static_cast<std::uint16_t>(old);
  const std::uint16_t to = static_cast<std::uint16_t>(device);
  ++stamp_;
  touched_.clear();
  const auto touch = [&](TensorId tensor) {
    const std::uint32_t t = static_cast<std::uint32_t>(tensor);
    if (touched_stamp_[t] == stamp_) return;
    touched_stamp_[t] = stamp_;
    touched_.push_back(t);
    charge(t, -1.0);
  };
  for (const NodeId node : problem.members(unit)) {
    for (const TensorId tensor : graph.outputs(node)) touch(tensor);
    for (const TensorId tensor : graph.inputs(node)) touch(tensor);
  }
  for (const NodeId node : problem.members(unit)) {
    device_[index(node)] = to;
    const std::span<const double> times = problem.time_row(node);
    std::vector<double>& compute = loads_.half[tables_->node_half[index(node)]].compute;
    compute[from] -= times[from];
    compute[to] += times[to];
    loads_.total += times[to] - times[from];
    for (const TensorId tensor : graph.inputs(node)) {
      count_use(static_cast<std::uint32_t>(tensor), from, -1);
      count_use(static_cast<std::uint32_t>(tensor), to, 1);
    }
  }
  for (const std::uint32_t tensor : touched_) charge(tensor, 1.0);
  unit_device_[unit] = device;
}

}  // namespace berth
