#include "berth/sim/replicas.h"

namespace berth {
namespace {

// Divides what `from` says of the device among r, as part of `to`.
void share(const Loads& from, DeviceId device, double r, Loads& to) {
  for (std::size_t h = 0; h < 2; ++h)
    for (const auto part : {&Loads::Half::compute, &Loads::Half::in, &Loads::Half::out})
      (to.half[h].*part)[index(device)] = (from.half[h].*part)[index(device)] / r;
}

}  // namespace

std::vector<DeviceId> sharers(const Placement& placement, DeviceId device) {
  std::vector<DeviceId> devices{device};
  for (const Replica& replica : placement.replicas)
    if (replica.of == device) devices.push_back(replica.device);
  return devices;
}

std::size_t replica_count(const Placement& placement, DeviceId device) {
  DeviceId first = device;
  for (const Replica& replica : placement.replicas)
    if (replica.device == device) first = replica.of;
  return sharers(placement, first).size();
}

Loads replicated_loads(const Problem& problem, const Placement& placement) {
  LoadEvaluator evaluator(problem);
  std::vector<DeviceId> device_of = placement.device_of.items();
  evaluator.run(device_of);
  const Loads alone = evaluator.loads();
  Loads shared = alone;
  for (Loads::Half& half : shared.half) half.sync.assign(problem.device_count(), 0.0);
  std::vector<double> weights(problem.device_count(), 0.0);
  for (const NodeId node : problem.graph().nodes())
    weights[index(device_of[index(node)])] +=
        static_cast<double>(problem.graph().node(node).weights.count);

  const double bandwidth = problem.get<MaxLoad>().sync_bytes_per_second;
  const bool gpipe = problem.model().halves_apart() && problem.is_training();
  const auto sync = [&](DeviceId stage, double r) {
    if (!problem.is_training() || bandwidth <= 0) return 0.0;
    return 2 * (r - 1) / r * weights[index(stage)] / bandwidth * 1e6;
  };
  for (const Replica& replica : placement.replicas) {
    const double r = static_cast<double>(replica_count(placement, replica.of));
    share(alone, replica.of, r, shared);
    // The stage as it would be on the replica.
    for (std::size_t i = 0; i < device_of.size(); ++i)
      if (placement.device_of.items()[i] == replica.of) device_of[i] = replica.device;
    evaluator.run(device_of);
    share(evaluator.loads(), replica.device, r, shared);
    device_of = placement.device_of.items();
    for (const DeviceId device : {replica.of, replica.device})
      shared.half[gpipe ? 1 : 0].sync[index(device)] = sync(replica.of, r);
  }
  return shared;
}

void replicate_memory(const Placement& placement, IdVector<DeviceId, MemoryUse>& memory) {
  for (const Replica& replica : placement.replicas) memory[replica.device] = memory[replica.of];
}

}  // namespace berth
