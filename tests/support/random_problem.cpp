#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth::fixtures {
namespace {

bool chance(Rng& rng, double probability) { return rng.uniform() < probability; }

std::size_t between(Rng& rng, std::size_t least, std::size_t most) {
  return least + rng.below(most - least + 1);
}

// Integers up to `most` when ties are wanted, else reals; zero now and then.
double some_time(Rng& rng, bool ties, double most) {
  if (chance(rng, 0.1)) return 0;
  if (ties) return static_cast<double>(1 + rng.below(static_cast<std::size_t>(most)));
  return rng.uniform() * most;
}

// All fields of all models, drawn whatever the execution is: a number in a test then names the same
// problem for as long as this order of draws stands.
struct DrawnModel {
  ExecutionKind kind = ExecutionKind::kConcurrent;
  Objective objective = Objective::kLatency;
  Duration subgraph_overhead{0};
  MaxLoad load;
  int pieces = 1;
  double contention = 0;

  bool may_train() const {
    return kind != ExecutionKind::kPieces &&
           !(kind == ExecutionKind::kCall && objective == Objective::kLatency);
  }
  Execution execution(Objective wanted) const;
};

DrawnModel draw_model(Rng& rng, const RandomShape& shape, bool ties) {
  constexpr ExecutionKind kAll[] = {ExecutionKind::kConcurrent, ExecutionKind::kSequential,
                                    ExecutionKind::kCall, ExecutionKind::kPipeline,
                                    ExecutionKind::kPieces};
  constexpr Overlap kOverlaps[] = {Overlap::kSum, Overlap::kMax, Overlap::kDuplex};
  DrawnModel model;
  model.kind = shape.execution ? *shape.execution : kAll[rng.below(5)];
  if (model.kind == ExecutionKind::kPipeline) model.objective = Objective::kThroughput;
  if ((model.kind == ExecutionKind::kCall || model.kind == ExecutionKind::kPieces) &&
      chance(rng, 0.5))
    model.objective = Objective::kThroughput;
  if (shape.overhead && chance(rng, 0.5))
    model.subgraph_overhead = Duration{some_time(rng, ties, 4)};
  model.load.overlap = kOverlaps[rng.below(3)];
  if (chance(rng, 0.4)) model.load.training = TrainingSchedule::kGPipe;
  model.load.microbatches = static_cast<int>(between(rng, 1, 4));
  model.pieces = static_cast<int>(between(rng, 1, 2));
  if (model.kind == ExecutionKind::kPieces && chance(rng, 0.5))
    model.contention = ties ? 0.5 : rng.uniform();
  if (model.objective == Objective::kThroughput) model.load.contiguous = chance(rng, 0.25);
  return model;
}

// The fields that the execution has.
Execution DrawnModel::execution(Objective wanted) const {
  const bool throughput = wanted == Objective::kThroughput;
  MaxLoad by_load = load;
  switch (kind) {
    case ExecutionKind::kConcurrent:
      break;
    case ExecutionKind::kSequential:
      return Sequential{.objective = wanted, .subgraph_overhead = subgraph_overhead};
    case ExecutionKind::kCall:
      by_load.route = Route::kHost;
      if (throughput) return by_load;
      return CallLatency{.pieces = pieces};
    case ExecutionKind::kPipeline:
      by_load.route = Route::kLinks;
      return by_load;
    case ExecutionKind::kPieces:
      return InPieces{.objective = wanted,
                      .contention = contention,
                      .contiguous = throughput && load.contiguous};
  }
  return Concurrent{};
}

void draw_nodes(Rng& rng, const RandomShape& shape, bool ties, bool training, std::size_t count,
                Sketch& sketch) {
  const std::size_t devices = sketch.cluster.device_count();
  const bool equal_devices = chance(rng, 0.3);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> micros(devices);
    micros[0] = some_time(rng, ties, 6);
    for (std::size_t d = 1; d < devices; ++d)
      micros[d] = equal_devices || micros[0] == 0 ? micros[0] : some_time(rng, ties, 6);
    if (shape.unsupported && devices > 1 && chance(rng, 0.1)) micros[rng.below(devices)] = kNever;
    Node& node = sketch.at(sketch.node(fmt::format("n{}", i), std::move(micros)));
    if (chance(rng, 0.7)) node.weights = Bytes{static_cast<std::int64_t>(rng.below(20))};
    if (chance(rng, 0.5)) node.workspace = Bytes{static_cast<std::int64_t>(rng.below(8))};
    if (chance(rng, 0.15)) node.frequency = chance(rng, 0.5) ? 0.5 : 2;
    // Backward work follows forward work: no edge leads from a backward node to a forward one.
    if (training && i >= (count + 1) / 2) node.pass = Pass::kBackward;
  }
}

// Tensors from each node to later ones; density from sparse chains to nearly complete graphs.
std::size_t draw_tensors(Rng& rng, std::size_t count, Sketch& sketch) {
  const double density = 0.15 + 0.6 * rng.uniform();
  const std::size_t window = chance(rng, 0.5) ? count : 3;
  std::size_t tensors = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t outputs = chance(rng, 0.2) ? 2 : chance(rng, 0.1) ? 0 : 1;
    for (std::size_t k = 0; k < outputs; ++k) {
      std::vector<NodeId> consumers;
      for (std::size_t j = i + 1; j < std::min(count, i + 1 + window); ++j)
        if (chance(rng, density)) consumers.push_back(static_cast<NodeId>(j));
      rng.shuffle(consumers);
      const std::int64_t bytes = chance(rng, 0.1) ? 0 : static_cast<std::int64_t>(rng.below(9));
      sketch.tensor(static_cast<NodeId>(i), bytes, std::move(consumers));
      ++tensors;
    }
  }
  return tensors;
}

void draw_transfers(Rng& rng, bool ties, std::size_t tensors, Sketch& sketch) {
  const std::size_t devices = sketch.cluster.device_count();
  const double scale = chance(rng, 0.3) ? 8 : 2;
  switch (rng.below(3)) {
    case 0: {
      const bool symmetric = chance(rng, 0.5);
      sketch.set_links(ties ? 1 : rng.uniform(), 0.5);
      for (std::size_t a = 0; a < devices && !symmetric; ++a)
        for (std::size_t b = 0; b < devices; ++b)
          if (a != b) sketch.set_link(a, b, some_time(rng, ties, 2), 0.1 + rng.uniform());
      break;
    }
    case 1: {
      IdVector<TensorId, Duration> times;
      for (std::size_t t = 0; t < tensors; ++t)
        times.push_back(Duration{some_time(rng, ties, scale)});
      sketch.transfers = TransferTimes::per_tensor(std::move(times));
      break;
    }
    default: {
      std::vector<double> micros;
      for (std::size_t t = 0; t < tensors; ++t)
        for (std::size_t a = 0; a < devices; ++a)
          for (std::size_t b = 0; b < devices; ++b)
            micros.push_back(a == b ? 0 : some_time(rng, ties, scale));
      sketch.transfers = TransferTimes::per_tensor_and_pair(devices, std::move(micros));
    }
  }
  switch (rng.below(4)) {
    case 0:
      sketch.cluster.set_shared_bus("bus");
      break;
    case 1:
      sketch.cluster.set_uncontended();
      break;
    case 2: {  // one sending port per device, and a bus that some links pass as well
      const ChannelId bus = sketch.cluster.add_channel("bus");
      for (const DeviceId from : sketch.cluster.devices()) {
        const ChannelId port = sketch.cluster.add_channel(fmt::format("port{}", index(from)));
        for (const DeviceId to : sketch.cluster.devices()) {
          if (from == to) continue;
          std::vector<ChannelId> channels{port};
          if (chance(rng, 0.5)) channels.push_back(bus);
          sketch.cluster.set_link_channels(from, to, std::move(channels));
        }
      }
      break;
    }
    default:
      break;  // each link a channel of its own
  }
}

// Convolutions among the nodes, and devices whose pieces cost more than their nodes.
void draw_piece_costs(Rng& rng, bool ties, Sketch& sketch) {
  for (std::size_t i = 0; i < sketch.node_count(); ++i) {
    constexpr const char* kTypes[] = {"Convolution", "Convert", "MatMul"};
    sketch.at(static_cast<NodeId>(i)).op_type = kTypes[rng.below(3)];
  }
  for (std::size_t t = 0; t < sketch.tensor_count(); ++t)
    if (chance(rng, 0.7)) sketch.make_image(static_cast<TensorId>(t));
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    if (chance(rng, 0.7)) device.piece_overhead = Duration{some_time(rng, ties, 3)};
    if (chance(rng, 0.7)) device.border_bytes_per_second = 1e6 * (ties ? 1 : 0.5 + rng.uniform());
    sketch.cluster.set_device(id, device);
  }
}

void draw_constraints(Rng& rng, std::size_t count, bool training, Sketch& sketch) {
  const auto node = [&] { return static_cast<NodeId>(rng.below(count)); };
  const auto device = [&] {
    return static_cast<DeviceId>(rng.below(sketch.cluster.device_count()));
  };
  Constraints& constraints = sketch.constraints;
  if (chance(rng, 0.2)) constraints.pin.push_back({node(), device()});
  if (chance(rng, 0.2)) constraints.forbid.push_back({node(), device()});
  if (count > 1 && chance(rng, 0.2)) {
    const NodeId a = node(), b = node();
    if (a != b) constraints.together.push_back({a, b});
  }
  if (count > 1 && sketch.cluster.device_count() > 1 && chance(rng, 0.2)) {
    const NodeId a = node(), b = node();
    if (a != b) constraints.apart.push_back({a, b});
  }
  if (chance(rng, 0.2))
    for (int k = 0; k < 2; ++k) sketch.at(node()).group = 7;
  if (training && chance(rng, 0.6))  // forward nodes and their mates
    for (std::size_t i = 0; 2 * i + 1 < count; ++i) {
      sketch.at(static_cast<NodeId>(i)).group = static_cast<std::int32_t>(i);
      sketch.at(static_cast<NodeId>(count - 1 - i)).group = static_cast<std::int32_t>(i);
    }
}

}  // namespace

const char* to_string(ExecutionKind kind) {
  constexpr const char* kWords[] = {"concurrent", "sequential", "call", "pipeline", "pieces"};
  return kWords[static_cast<std::size_t>(kind)];
}

Problem sometimes_limited(const Problem& problem, Rng& rng) {
  if (!chance(rng, 0.2)) return problem;
  ExecutionModel model = problem.model();
  model.max_subgraphs = static_cast<int>(between(rng, 1, 3));
  return problem.with_model(model);
}

Problem random_problem(Rng& rng, const RandomShape& shape) {
  while (true) {  // draws again when constraints contradict each other or a unit runs nowhere
    const std::size_t count = between(rng, shape.min_nodes, shape.max_nodes);
    const std::size_t devices = between(rng, shape.min_devices, shape.max_devices);
    const bool ties = chance(rng, 0.5);
    const DrawnModel model = draw_model(rng, shape, ties);
    const bool in_pieces = model.kind == ExecutionKind::kPieces;
    const bool training = shape.training ? *shape.training : model.may_train() && chance(rng, 0.4);
    const bool call = model.kind == ExecutionKind::kCall;
    Sketch sketch("random", devices, call ? between(rng, 1, devices) : rng.below(2));
    sketch.model = model.execution(shape.objective.value_or(model.objective));
    draw_nodes(rng, shape, ties, training, count, sketch);
    const std::size_t tensors = draw_tensors(rng, count, sketch);
    draw_transfers(rng, ties, tensors, sketch);
    if (in_pieces) draw_piece_costs(rng, ties, sketch);
    if (shape.constraints) draw_constraints(rng, count, training, sketch);
    if (shape.memory_limits && chance(rng, 0.5))
      for (std::size_t d = 0; d < devices; ++d)
        if (chance(rng, 0.7))
          sketch.set_memory(d, static_cast<std::int64_t>(between(rng, 5, 25 * count)));
    try {
      Problem problem = sketch.build();
      if (!problem.unplaceable()) return problem;
    } catch (const Error&) {
    }
  }
}

Placement random_placement(Rng& rng, const Problem& problem) {
  IdVector<UnitId, DeviceId> device_of;
  for (const UnitId unit : problem.units()) {
    std::vector<DeviceId> allowed;
    for (const DeviceId device : problem.devices())
      if (problem.unit_allows(unit, device)) allowed.push_back(device);
    device_of.push_back(allowed.at(rng.below(allowed.size())));
  }
  return from_units(problem, device_of);
}

std::vector<NodeId> random_order(Rng& rng, const Graph& graph) {
  std::vector<std::size_t> waiting(graph.node_count());
  std::vector<NodeId> ready, order;
  for (const NodeId node : graph.nodes()) {
    waiting[index(node)] = graph.predecessors(node).size();
    if (waiting[index(node)] == 0) ready.push_back(node);
  }
  while (!ready.empty()) {
    std::swap(ready[rng.below(ready.size())], ready.back());
    const NodeId node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const NodeId next : graph.successors(node))
      if (--waiting[index(next)] == 0) ready.push_back(next);
  }
  return order;
}

}  // namespace berth::fixtures
