#include "tests/audit/kinds.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "berth/sim/evaluate.h"
#include "tests/audit/parts.h"
#include "tests/support/shared_weights.h"
#include "tests/support/with_servers.h"

namespace berth::audit {
namespace {

using fixtures::ExecutionKind;

constexpr std::array kKinds{
    Kind{"concurrent", ExecutionKind::kConcurrent, Objective::kLatency},
    Kind{"sequential", ExecutionKind::kSequential, Objective::kLatency},
    Kind{"call-latency", ExecutionKind::kCall, Objective::kLatency},
    Kind{"call-throughput", ExecutionKind::kCall, Objective::kThroughput},
    Kind{"pipeline", ExecutionKind::kPipeline, Objective::kThroughput},
    Kind{"pieces-latency", ExecutionKind::kPieces, Objective::kLatency},
    Kind{"pieces-throughput", ExecutionKind::kPieces, Objective::kThroughput},
    Kind{"colour-cycles", ExecutionKind::kCall, Objective::kLatency, true},
};

bool chance(Rng& rng, double probability) { return rng.uniform() < probability; }

// A few groups over all nodes, without regard to the order of the graph: their quotient has cycles
// more often than not.
void draw_groups(Parts& parts, Rng& rng) {
  const std::size_t groups = 1 + rng.below(3);
  const double share = 0.3 + 0.5 * rng.uniform();
  for (Node& node : parts.nodes)
    if (chance(rng, share)) node.group = static_cast<std::int32_t>(100 + rng.below(groups));
}

// As dnn-partitioning has them: equal accelerators, CPUs slower by a factor of each node's own,
// transfers by tensor, memory for about half of the model each.
void draw_accelerators(Parts& parts, Rng& rng) {
  std::int64_t total = 0;
  const bool ties = chance(rng, 0.3);
  for (std::size_t n = 0; n < parts.nodes.size(); ++n) {
    const double time = ties ? static_cast<double>(1 + rng.below(5)) : 1 + 9 * rng.uniform();
    const double factor = 1 + static_cast<double>(rng.below(30));
    for (const DeviceId device : parts.cluster.devices())
      parts.times[n][index(device)] = parts.cluster.device(device).is_host() ? time * factor : time;
    parts.nodes[n].weights = Bytes{static_cast<std::int64_t>(1 + rng.below(90))};
    parts.nodes[n].workspace = Bytes{};
    total += parts.nodes[n].weights.count;
  }
  parts.transfers = TransferSource::kPerTensor;
  for (Parts::Use& use : parts.tensors)
    use.micros = {ties ? static_cast<double>(rng.below(4)) : 3 * rng.uniform()};
  for (const DeviceId id : parts.cluster.devices()) {
    Device device = parts.cluster.device(id);
    device.memory.reset();
    if (!device.is_host())
      device.memory = Bytes{total / 3 + static_cast<std::int64_t>(
                                            rng.below(static_cast<std::size_t>(total / 2 + 1)))};
    parts.cluster.set_device(id, device);
  }
}

// Limits that a random placement just keeps, or just breaks.
void draw_edge(Parts& parts, Rng& rng) {
  const std::optional<Problem> problem = parts.build();
  if (!problem) return;
  const Simulation simulation = simulate(*problem, fixtures::random_placement(rng, *problem));
  for (const DeviceId id : parts.cluster.devices()) {
    if (chance(rng, 0.3)) continue;
    Device device = parts.cluster.device(id);
    const std::int64_t peak = simulation.memory[id].peak().count;
    device.memory = Bytes{std::max<std::int64_t>(0, peak - (chance(rng, 0.3) ? 1 : 0))};
    parts.cluster.set_device(id, device);
  }
}

void draw_equal_devices(Parts& parts, Rng& rng) {
  for (auto& row : parts.times) {
    const double time = row[rng.below(row.size())];
    if (time < 1e300) std::fill(row.begin(), row.end(), time);
  }
}

void draw_model(Parts& parts, Rng& rng) {
  // Drawn for every model, so that one number stays one problem; set where the model has it.
  ExecutionModel& model = parts.model;
  set_field(model.execution, "pieces", static_cast<int>(1 + rng.below(chance(rng, 0.3) ? 3 : 1)));
  model.max_subgraphs = chance(rng, 0.15) ? static_cast<int>(1 + rng.below(4)) : 0;
  if (model.objective() == Objective::kThroughput)
    set_field(model.execution, "contiguous", chance(rng, 0.25));
  if (chance(rng, 0.3))
    set_field(model.execution, "sync_bytes_per_second", 1e6 * (0.5 + rng.uniform()));
}

bool has_colour_cycle(const Problem& problem) {
  const Graph& graph = problem.graph();
  IdVector<UnitId, std::size_t> waiting(problem.unit_count(), 0);
  const auto leaves = [&](NodeId node, NodeId next) {
    return problem.unit_of(node) != problem.unit_of(next);
  };
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node))
      if (leaves(node, next)) ++waiting[problem.unit_of(next)];
  std::vector<UnitId> free;
  for (const UnitId unit : problem.units())
    if (waiting[unit] == 0) free.push_back(unit);
  std::size_t done = 0;
  for (; !free.empty(); ++done) {
    const UnitId unit = free.back();
    free.pop_back();
    for (const NodeId node : problem.members(unit))
      for (const NodeId next : graph.successors(node))
        if (leaves(node, next) && --waiting[problem.unit_of(next)] == 0)
          free.push_back(problem.unit_of(next));
  }
  return done < problem.unit_count();
}

std::optional<Problem> with_colour_cycle(const Problem& base, Rng& rng) {
  Parts parts(base);
  parts.model = CallLatency{};
  parts.constraints = {};
  if (!parts.cluster.host()) return std::nullopt;
  draw_accelerators(parts, rng);
  for (Node& node : parts.nodes) node.group = kNoGroup;
  draw_groups(parts, rng);
  std::optional<Problem> problem = parts.build();
  if (!problem || !has_colour_cycle(*problem)) return std::nullopt;
  return problem;
}

Problem decorated(const Kind& kind, Problem base, Rng& rng) {
  Parts parts(base);
  draw_model(parts, rng);
  const bool hosted = parts.cluster.host().has_value();
  if (kind.execution == ExecutionKind::kCall && hosted && chance(rng, 0.5))
    draw_accelerators(parts, rng);
  if (chance(rng, 0.15)) draw_equal_devices(parts, rng);
  if (chance(rng, kind.execution == ExecutionKind::kCall ? 0.5 : 0.2)) draw_groups(parts, rng);
  // A stream of its own: what is drawn without shared weights stays what it was.
  Rng of_weights = rng.split("shared weights");
  if (chance(of_weights, 0.3))
    if (const std::optional<Problem> plain = parts.build())
      parts = Parts(with_shared_weights(*plain, of_weights));
  if (chance(rng, 0.15)) draw_edge(parts, rng);
  std::optional<Problem> problem = parts.build();
  if (!problem) return base;
  if (kind.execution == ExecutionKind::kCall && kind.objective == Objective::kThroughput &&
      chance(rng, 0.2))
    return with_servers(*problem, rng);
  return *problem;
}

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

const Kind& find_kind(const std::string& name) {
  for (const Kind& kind : kKinds)
    if (name == kind.name) return kind;
  throw std::out_of_range("no kind '" + name + "'");
}

Problem draw(const Kind& kind, std::uint64_t number) {
  Rng rng = Rng(number).split(kind.name);
  const bool large = chance(rng, 0.1) && !kind.colour_cycles;
  const bool ordered =
      kind.execution == ExecutionKind::kConcurrent || kind.execution == ExecutionKind::kPieces;
  fixtures::RandomShape shape;
  shape.execution = kind.execution;
  shape.objective = kind.objective;
  shape.min_nodes = large ? 10 : 1;
  if (kind.colour_cycles) shape.min_nodes = 8;
  shape.max_nodes = kind.colour_cycles                       ? 13
                    : large                                  ? 16
                    : kind.execution == ExecutionKind::kCall ? 11
                    : ordered                                ? 6
                                                             : 8;
  shape.max_devices = large ? 4 : 3 + (chance(rng, 0.2) ? 1 : 0);
  if (kind.execution == ExecutionKind::kCall && kind.objective == Objective::kLatency)
    shape.training = false;
  while (true) {
    Problem base = fixtures::random_problem(rng, shape);
    if (!kind.colour_cycles) return decorated(kind, std::move(base), rng);
    if (std::optional<Problem> problem = with_colour_cycle(base, rng)) return *problem;
  }
}

}  // namespace berth::audit
