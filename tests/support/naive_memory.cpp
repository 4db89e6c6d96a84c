#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/support/naive_simulator.h"

namespace berth::naive {
namespace {

enum class Part { kActivations, kBuffers, kWorkspace };

// Something that lives on a device from one moment until just before another.
struct Life {
  Part part;
  Bytes bytes;
  Duration from, to;
};

std::map<DeviceId, std::vector<Life>> lives(const Problem& problem, const Placement& placement,
                                            const Schedule& schedule) {
  const Graph& graph = problem.graph();
  std::map<NodeId, Run> run_of;
  for (const Run& run : schedule.runs) run_of.insert({run.node, run});
  const auto makes_a_sum = [&](NodeId node) {
    bool makes = false;
    for (const TensorId made : graph.outputs(node))
      makes = makes || graph.tensor(made).role == TensorRole::kGradientSum;
    return makes;
  };
  const auto last_consumer = [&](TensorId tensor, DeviceId device, Duration at_least) {
    for (const NodeId user : graph.consumers(tensor)) {
      if (placement.device_of[user] != device) continue;
      // Who adds to a sum takes over its room.
      if (graph.tensor(tensor).role == TensorRole::kGradientSum && makes_a_sum(user))
        at_least = std::max(at_least, run_of.at(user).start);
      else
        at_least = std::max(at_least, run_of.at(user).finish);
    }
    return at_least;
  };
  const auto is_weight = [&](TensorId tensor) {
    return graph.tensor(tensor).role == TensorRole::kWeight;
  };
  std::map<DeviceId, std::vector<Life>> result;
  for (const auto& [node, run] : run_of) {
    result[run.device].push_back(
        {Part::kWorkspace, graph.node(node).workspace, run.start, run.finish});
    for (const TensorId tensor : graph.outputs(node)) {
      if (is_weight(tensor)) continue;
      Duration end = last_consumer(tensor, run.device, run.finish);
      for (const Move& move : schedule.moves)
        if (move.tensor == tensor) end = std::max(end, move.finish);
      if (graph.consumers(tensor).empty()) end = schedule.makespan;
      result[run.device].push_back({Part::kActivations, graph.tensor(tensor).size, run.start, end});
    }
  }
  for (const Move& move : schedule.moves)
    if (!is_weight(move.tensor))
      result[move.to].push_back({Part::kBuffers, graph.tensor(move.tensor).size, move.start,
                                 last_consumer(move.tensor, move.to, move.finish)});
  return result;
}

Bytes weights_on(const Problem& problem, const Placement& placement, DeviceId device) {
  Bytes sum{};
  for (const NodeId node : problem.graph().nodes())
    if (placement.device_of[node] == device) sum += problem.graph().node(node).weights;
  std::set<TensorId> copies;
  for (const NodeId node : problem.graph().nodes())
    for (const TensorId read : problem.graph().inputs(node))
      if (placement.device_of[node] == device &&
          problem.graph().tensor(read).role == TensorRole::kWeight &&
          placement.device_of[problem.graph().producer(read)] != device)
        copies.insert(read);
  for (const TensorId copy : copies) sum += problem.graph().tensor(copy).size;
  return sum;
}

// The devices in use, by the first forward node on each; without one, by the first backward node.
std::vector<DeviceId> stages(const Problem& problem, const Placement& placement) {
  std::vector<DeviceId> result;
  for (const Pass pass : {Pass::kForward, Pass::kBackward})
    for (const NodeId node : problem.graph().topological_order()) {
      const DeviceId device = placement.device_of[node];
      if (problem.graph().node(node).pass == pass &&
          std::count(result.begin(), result.end(), device) == 0)
        result.push_back(device);
    }
  return result;
}

// What the further samples of a pipeline hold on the device.
Bytes further_samples(const Problem& problem, const Placement& placement, DeviceId device) {
  const Graph& graph = problem.graph();
  std::set<TensorId> received, stashed;
  for (const TensorId tensor : graph.tensors())
    for (const NodeId user : graph.consumers(tensor)) {
      if (graph.tensor(tensor).role == TensorRole::kWeight) continue;  // one for all samples
      if (placement.device_of[user] != device) continue;
      const NodeId producer = graph.producer(tensor);
      if (placement.device_of[producer] != device) received.insert(tensor);
      if (graph.node(producer).pass == Pass::kForward && graph.node(user).pass == Pass::kBackward)
        stashed.insert(tensor);
    }
  Bytes once{};
  for (const TensorId tensor : problem.is_training() ? stashed : received)
    once += graph.tensor(tensor).size;
  if (!problem.is_training()) return once;
  const std::vector<DeviceId> used = stages(problem, placement);
  const auto rank = std::find(used.begin(), used.end(), device) - used.begin();
  const MaxLoad& rules = *problem.as<MaxLoad>();  // training does not run in pieces
  const std::int64_t samples = rules.training == TrainingSchedule::kGPipe
                                   ? rules.microbatches
                                   : static_cast<std::int64_t>(used.size()) - rank;
  return Bytes{once.count * (samples - 1)};
}

MemoryUse use_at(Bytes weights, const std::vector<Life>& lives, Duration moment) {
  MemoryUse use;
  use.weights = weights;
  use.moment = moment;
  for (const Life& life : lives) {
    if (moment < life.from || moment >= life.to) continue;
    if (life.part == Part::kActivations) use.activations += life.bytes;
    if (life.part == Part::kBuffers) use.buffers += life.bytes;
    if (life.part == Part::kWorkspace) use.workspace += life.bytes;
  }
  return use;
}

}  // namespace

IdVector<DeviceId, MemoryUse> peak_memory(const Problem& problem, const Placement& placement,
                                          const Schedule& schedule) {
  IdVector<DeviceId, MemoryUse> peak(problem.device_count());
  auto living = is_call(problem) ? std::map<DeviceId, std::vector<Life>>{}
                                 : lives(problem, placement, schedule);
  const InPieces* in_pieces = problem.as<InPieces>();
  const bool steady =
      problem.as<MaxLoad>() || (in_pieces && in_pieces->objective == Objective::kThroughput);
  for (const DeviceId device : problem.devices()) {
    const Bytes weights = weights_on(problem, placement, device);
    peak[device] = use_at(weights, living[device], Duration{0});
    std::set<Duration> moments;
    for (const Life& life : living[device]) moments.insert(life.from);
    for (const Duration moment : moments) {
      const MemoryUse use = use_at(weights, living[device], moment);
      if (use.peak() > peak[device].peak()) peak[device] = use;
    }
    if (steady && !is_call(problem))
      peak[device].buffers += further_samples(problem, placement, device);
    if (is_call(problem))
      for (const NodeId node : problem.graph().nodes())
        if (placement.device_of[node] == device)
          peak[device].workspace =
              std::max(peak[device].workspace, problem.graph().node(node).workspace);
  }
  return peak;
}

}  // namespace berth::naive
