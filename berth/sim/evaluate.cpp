#include "berth/sim/evaluate.h"

#include <fmt/format.h>

#include "berth/sim/crossings.h"
#include "berth/sim/pieces.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

// The most that device d can ever hold, whatever the placement: then memory need not be looked at.
bool memory_never_binds(const Problem& problem) {
  const Graph& graph = problem.graph();
  double everything = 0, workspace = 0, tensors = 0;
  for (const NodeId node : graph.nodes()) {
    everything += static_cast<double>(graph.node(node).weights.count);
    workspace = std::max(workspace, static_cast<double>(graph.node(node).workspace.count));
  }
  for (const TensorId tensor : graph.tensors())  // a copy of a weight is the weight, held elsewhere
    if (!graph.is_weight(tensor)) tensors += static_cast<double>(graph.tensor(tensor).size.count);
  double copies = 1;  // a device holds a tensor once per sample in flight
  if (problem.model().keeps_samples_in_flight()) {
    copies = 2;
    if (problem.is_training())
      copies = std::max<double>(problem.get<MaxLoad>().microbatches,
                                static_cast<double>(problem.device_count()));
  }
  everything += workspace + (problem.model().through_host() ? 0.0 : copies * tensors);
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    if (limit && everything > static_cast<double>(limit->count)) return false;
  }
  return true;
}

}  // namespace

MemoryRule memory_rule(const Problem& problem) {
  if (memory_never_binds(problem)) return MemoryRule::kNeverBinds;
  const Graph& graph = problem.graph();
  for (const NodeId node : graph.nodes())
    if (graph.node(node).workspace > Bytes{0}) return MemoryRule::kLifetimes;
  if (!problem.model().through_host())
    for (const TensorId tensor : graph.tensors())
      if (graph.tensor(tensor).size > Bytes{0} && !graph.is_weight(tensor))
        return MemoryRule::kLifetimes;
  return MemoryRule::kWeightsOnly;
}

Evaluator::Evaluator(const Problem& problem)
    : problem_(problem),
      rule_(memory_rule(problem)),
      weights_(problem.graph(), problem.device_count()),
      simulator_(problem) {}

double Evaluator::held_overflow(std::span<const DeviceId> device_of) {
  const std::span<const std::int64_t> held = weights_.held(device_of);
  double sum = 0;
  for (const DeviceId device : problem_.devices())
    sum += overflow_of(problem_.cluster().device(device), Bytes{held[index(device)]});
  return sum;
}

Score Evaluator::score(std::span<const DeviceId> device_of, std::span<const NodeId> order) {
  Score result{simulator_.value(device_of, order), simulator_.beyond_model(device_of)};
  if (rule_ == MemoryRule::kWeightsOnly) result.overflow += held_overflow(device_of);
  if (rule_ != MemoryRule::kLifetimes) return result;
  Placement placement;
  placement.device_of = IdVector<NodeId, DeviceId>(std::vector(device_of.begin(), device_of.end()));
  result.overflow += memory_overflow(
      problem_.cluster(), peak_memory(problem_, placement, simulator_.schedule(device_of, order)));
  return result;
}

// Of a placement whose replicas broken_rule accepts; not made for searches.
Score Evaluator::score_replicated(const Placement& placement) {
  const std::vector<DeviceId>& device_of = placement.device_of.items();
  if (broken_rule(problem_, placement)) return score(device_of, placement.order);
  Score result{simulator_.value_replicated(placement), simulator_.beyond_model(device_of)};
  if (rule_ == MemoryRule::kNeverBinds) return result;
  IdVector<DeviceId, MemoryUse> memory =
      peak_memory(problem_, placement, simulator_.schedule(device_of, placement.order));
  replicate_memory(placement, memory);
  result.overflow += memory_overflow(problem_.cluster(), memory);
  return result;
}

Score Evaluator::operator()(const Placement& placement) {
  if (!placement.replicas.empty()) return score_replicated(placement);
  return score(placement.device_of.items(), placement.order);
}

Score Evaluator::operator()(std::span<const DeviceId> device_of) { return score(device_of, {}); }

std::span<const double> Evaluator::loads() const {
  const ExecutionModel& model = problem_.model();
  const bool limited =
      rule_ != MemoryRule::kNeverBinds || model.contiguous() || model.max_subgraphs > 0;
  if (limited || model.objective() != Objective::kThroughput) return {};
  return simulator_.loads();
}

namespace {

// How long devices, channels and servers' wires are busy. `own` are loads that the simulator itself
// has; empty where those of loads.h are all.
void add_loads(const Problem& problem, const Placement& placement, std::span<const double> own,
               Simulation& result) {
  LoadEvaluator evaluator(problem);
  evaluator.run(placement.device_of.items());
  const bool replicated = !placement.replicas.empty() && !result.broken;
  const Loads loads =
      replicated && own.empty() ? replicated_loads(problem, placement) : evaluator.loads();
  const bool pays = problem.model().properties().devices_pay_transfers;
  for (const DeviceId device : problem.devices()) {
    Duration compute{0}, moves{0};
    for (const Loads::Half& half : loads.half) {
      compute += Duration{half.compute[index(device)]};
      moves += Duration{half.in[index(device)] + half.out[index(device)]};
      if (!half.sync.empty()) moves += Duration{half.sync[index(device)]};
    }
    result.load[device] = pays ? compute + moves : compute;
    if (!own.empty()) result.load[device] = Duration{own[index(device)]};
  }
  result.network.assign(loads.half[0].network_in.size(), Duration{0});
  for (const Loads::Half& half : loads.half) {
    for (std::size_t c = 0; c < half.traffic.size(); ++c)
      result.traffic[static_cast<ChannelId>(c)] += Duration{half.traffic[c]};
    for (std::size_t s = 0; s < half.network_in.size(); ++s)
      result.network[s] += Duration{
          overlapped(problem.get<MaxLoad>().overlap, 0, half.network_in[s], half.network_out[s])};
  }
}

std::optional<std::string> overfull_device(const Problem& problem,
                                           const IdVector<DeviceId, MemoryUse>& memory) {
  for (const DeviceId id : problem.devices()) {
    const Device& device = problem.cluster().device(id);
    if (device.memory && memory[id].peak() > *device.memory)
      return fmt::format("device {} needs {} bytes at its peak, but has {}", device.name,
                         memory[id].peak().count, device.memory->count);
  }
  return std::nullopt;
}

}  // namespace

Simulation simulate(const Problem& problem, const Placement& placement) {
  Simulation result;
  result.broken = broken_rule(problem, placement);
  result.load.assign(problem.device_count(), Duration{0});
  result.traffic.assign(problem.cluster().channel_count(), Duration{0});
  result.memory.assign(problem.device_count(), MemoryUse{});
  if (placement.device_of.size() != problem.node_count()) return result;
  const std::vector<DeviceId>& device_of = placement.device_of.items();
  for (const NodeId node : problem.graph().nodes())
    if (index(device_of[index(node)]) >= problem.device_count() ||
        problem.time(node, device_of[index(node)]) == kForever) {
      result.value = kForever;  // nothing to schedule
      return result;
    }

  Simulator simulator(problem);
  result.schedule = simulator.schedule(device_of, placement.order);
  const bool replicated = !placement.replicas.empty() && !result.broken;
  result.value = replicated ? simulator.value_replicated(placement)
                            : simulator.value(device_of, placement.order);
  add_loads(problem, placement, simulator.loads(), result);
  result.memory = peak_memory(problem, placement, result.schedule);
  replicate_memory(placement, result.memory);
  result.subgraphs = subgraph_pieces(problem.graph(), device_of).count();
  for (const Crossing& crossing : crossings(problem, placement)) {
    ++result.crossings;
    result.crossing_bytes += crossing.size;
  }
  if (!result.broken) result.broken = overfull_device(problem, result.memory);
  if (!result.broken) result.broken = simulator.broken_by(device_of);
  return result;
}

}  // namespace berth
