#include "berth/sim/evaluate.h"

#include <fmt/format.h>

#include "berth/sim/crossings.h"
#include "berth/sim/piece_execution.h"
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
    const MaxLoad* load = problem.as<MaxLoad>();
    copies = load && problem.is_training()
                 ? std::max<double>(load->microbatches, static_cast<double>(problem.device_count()))
                 : 2;
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
      simulator_(problem),
      weights_(problem.graph(), problem.device_count()) {}

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

namespace {

// How long devices, channels and servers' wires are busy.
void add_loads(const Problem& problem, const Placement& placement, Simulation& result) {
  LoadEvaluator evaluator(problem);
  evaluator.run(placement.device_of.items());
  const bool replicated = !placement.replicas.empty() && !result.broken;
  const bool in_pieces = problem.as<InPieces>() != nullptr;
  const Loads loads =
      replicated && !in_pieces ? replicated_loads(problem, placement) : evaluator.loads();
  const MaxLoad* rules = problem.as<MaxLoad>();
  // Transfers keep a device busy only where the model says that they do not overlap with compute.
  const bool pays = problem.model().through_host() || (rules && rules->overlap == Overlap::kSum);
  for (const DeviceId device : problem.devices()) {
    Duration compute{0}, moves{0};
    for (const Loads::Half& half : loads.half) {
      compute += Duration{half.compute[index(device)]};
      moves += Duration{half.in[index(device)] + half.out[index(device)]};
      if (!half.sync.empty()) moves += Duration{half.sync[index(device)]};
    }
    result.load[device] = pays ? compute + moves : compute;
  }
  if (in_pieces) {
    PieceSimulator pieces(problem);
    if (replicated)
      pieces.run_replicated(placement);
    else
      pieces.run(placement.device_of.items(), placement.order);
    for (const DeviceId device : problem.devices())
      result.load[device] = Duration{pieces.loads()[index(device)]};
  }
  result.network.assign(loads.half[0].network_in.size(), Duration{0});
  for (const Loads::Half& half : loads.half) {
    for (std::size_t c = 0; c < half.traffic.size(); ++c)
      result.traffic[static_cast<ChannelId>(c)] += Duration{half.traffic[c]};
    for (std::size_t s = 0; s < half.network_in.size(); ++s)
      result.network[s] +=
          Duration{overlapped(rules->overlap, 0, half.network_in[s], half.network_out[s])};
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
  result.value = Evaluator(problem)(placement).value;
  result.memory = peak_memory(problem, placement, result.schedule);
  replicate_memory(placement, result.memory);
  add_loads(problem, placement, result);
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
