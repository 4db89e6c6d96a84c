// Placements made ready to run: pieces on their devices, HETERO, or one device.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/fail.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/openvino/async_executor.h"
#include "berth/runtime/openvino/devices.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/hetero.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/openvino/piece_executor.h"
#include "berth/sim/piece_execution.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

// Which piece goes first when nobody says: as simulated, with times guessed from operations and
// bytes. One core does some 2e10 operations, half of its peak, or moves some 5e9 bytes in a second.
std::vector<NodeId> guessed_order(const Model& model, std::size_t devices,
                                  const Placement& placement, ExecutorKind kind) {
  std::vector<Device> cores;
  for (std::size_t d = 0; d < devices; ++d)
    cores.push_back({.name = std::to_string(d), .flops_per_second = 4e10, .bytes_per_second = 5e9});
  const Problem problem =
      piece_problem(model_problem(model, Cluster(std::move(cores)), false), no_calibration(devices),
                    kind == ExecutorKind::kPipeline ? Objective::kThroughput : Objective::kLatency);
  return PieceSimulator(problem).start_order(placement.device_of.items());
}

// By piece, larger first: the place of its first node in the order.
std::vector<double> priorities(const std::vector<NodeId>& order, const Pieces& pieces) {
  std::vector<double> result(pieces.count(), 0);
  for (std::size_t i = order.size(); i-- > 0;)
    result[pieces.piece_of[order[i]]] = -static_cast<double>(i);
  return result;
}

void check_placement(const Model& model, std::span<const RealDevice> devices,
                     const Placement& placement) {
  if (placement.device_of.size() != model.graph().node_count())
    fail("{}: the placement has {} nodes, the model {}", model.name(), placement.device_of.size(),
         model.graph().node_count());
  for (const NodeId node : model.graph().nodes())
    if (index(placement.device_of[node]) >= devices.size())
      fail("{}: node '{}' is on device {}, but there are {}", model.name(),
           model.graph().node(node).name, index(placement.device_of[node]), devices.size());
  for (const Replica& replica : placement.replicas)
    if (index(replica.device) >= devices.size() || index(replica.of) >= devices.size())
      fail("{}: a replica names device {}, but there are {}", model.name(),
           std::max(index(replica.device), index(replica.of)), devices.size());
}

std::unique_ptr<Executor> prepare_pieces(CompileCache& cache, const OpenvinoModel& model,
                                         std::span<const RealDevice> devices,
                                         const Placement& placement, ExecutorKind kind) {
  const Pieces pieces = pieces_of(model.graph(), placement, kind);
  const bool guess = placement.order.empty() && pieces.count() > 1;
  const std::vector<double> priority = priorities(
      guess ? guessed_order(model, devices.size(), placement, kind) : placement.order, pieces);
  const std::vector<std::vector<NodeId>> members = members_of(pieces);
  std::vector<PreparedPiece> prepared;
  std::vector<CompileCache::Request> requests;  // by piece, then by device
  for (std::size_t p = 0; p < members.size(); ++p) {
    prepared.push_back({.copies = {}, .priority = priority[p]});
    // One request at a time has no samples to divide.
    const std::vector<DeviceId> on = kind == ExecutorKind::kPipeline
                                         ? sharers(placement, pieces.device[p])
                                         : std::vector{pieces.device[p]};
    for (const DeviceId device : on) {
      prepared.back().copies.push_back({.compiled = {}, .device = index(device)});
      requests.push_back({members[p], &devices[index(device)]});
    }
  }
  const std::vector<CompileCache::Answer> answers = cache.compile(model, requests);
  auto answer = answers.begin();
  for (PreparedPiece& piece : prepared)
    for (PieceCopy& copy : piece.copies) {
      copy.compiled = answer->piece;
      copy.from_cache = answer->from_cache;
      ++answer;
    }
  return piece_executor(model, std::vector(devices.begin(), devices.end()), std::move(prepared));
}

ov::CompiledModel compile_hetero(ov::Core& core, const OpenvinoModel& model,
                                 std::span<const RealDevice> devices, const Placement& placement) {
  std::vector<std::string> names;
  ov::AnyMap properties;
  for (const RealDevice& device : devices) {
    register_device(core, device);
    names.push_back(device.name);
    properties.insert(ov::device::properties(device.name, compile_properties(device)));
  }
  properties.insert(ov::device::priorities(fmt::format("{}", fmt::join(names, ","))));
  return explain_refusal(model.name() + ": HETERO refuses the placement", [&] {
    return core.compile_model(with_affinities(model, names, placement), "HETERO", properties);
  });
}

// HETERO does not say which operators form a subgraph, only which devices it used.
std::unique_ptr<Executor> prepare_hetero(ov::Core& core, const OpenvinoModel& model,
                                         std::span<const RealDevice> devices,
                                         const Placement& placement) {
  ov::CompiledModel compiled = compile_hetero(core, model, devices, placement);
  const std::string used = executed_on(compiled);
  std::vector<RunningPiece> pieces;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    RunningPiece piece{devices[d].name, used, {}, false};
    for (const NodeId node : model.graph().nodes())
      if (index(placement.device_of[node]) == d) piece.nodes.push_back(node);
    if (piece.nodes.empty()) continue;
    if (used.find(devices[d].name) == std::string::npos)
      fail("{}: {} nodes were meant for {}, but HETERO uses only {}", model.name(),
           piece.nodes.size(), devices[d].name, used);
    pieces.push_back(std::move(piece));
  }
  return async_executor(model, std::move(compiled), std::move(pieces));
}

}  // namespace

std::unique_ptr<Executor> OpenvinoRuntime::prepare(const Model& model,
                                                   std::span<const RealDevice> devices,
                                                   const Placement& placement, ExecutorKind kind) {
  check_placement(model, devices, placement);
  if (kind == ExecutorKind::kHetero)
    return prepare_hetero(core_, openvino_model(model), devices, placement);
  return prepare_pieces(compiled_, openvino_model(model), devices, placement, kind);
}

std::unique_ptr<Executor> OpenvinoRuntime::prepare_single(const Model& model,
                                                          const RealDevice& device, int streams) {
  const std::size_t nodes = model.graph().node_count();
  if (streams == 1) {
    const Placement all{IdVector<NodeId, DeviceId>(nodes, DeviceId{0}), {}};
    return prepare(model, {&device, 1}, all, ExecutorKind::kPipeline);
  }
  register_device(core_, device);
  const OpenvinoModel& ours = openvino_model(model);
  const std::string context =
      fmt::format("{}: device {} refuses the model", model.name(), device.name);
  return explain_refusal(context, [&] {
    ov::CompiledModel compiled =
        core_.compile_model(ours.ov_model(), device.name, compile_properties(device, streams));
    RunningPiece piece{device.name, executed_on(compiled), {}, false};
    for (const NodeId node : model.graph().nodes()) piece.nodes.push_back(node);
    if (piece.executed_on != device.name)
      fail("{}: meant for {}, but OpenVINO would run it on {}", model.name(), device.name,
           piece.executed_on);
    return async_executor(ours, std::move(compiled), std::vector{piece});
  });
}

}  // namespace berth
