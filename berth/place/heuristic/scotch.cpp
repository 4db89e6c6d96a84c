#include "berth/place/heuristic/scotch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/graph/order.h"
#include "berth/modules/build_config.h"
#include "berth/place/heuristic/partition.h"

#if BERTH_HAS_SCOTCH
#include <scotch.h>  // uses the types of <cstdint> and <cstdio> without including them
#endif

namespace berth {
namespace {

// Accelerators in call problems (all devices if there are none), otherwise all devices.
std::vector<DeviceId> devices_to_share(const Problem& problem) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.devices())
    if (problem.execution() != Execution::kCall || !problem.cluster().device(device).is_host())
      devices.push_back(device);
  if (devices.empty())
    for (const DeviceId device : problem.devices()) devices.push_back(device);
  return devices;
}

std::vector<double> unit_weights(const AdditiveCost& cost, DeviceId accelerator) {
  const Problem& problem = cost.problem();
  std::vector<double> weights = mean_unit_times(cost);
  if (problem.execution() != Execution::kCall) return weights;
  for (const UnitId unit : problem.units()) {
    const double time = cost.time(unit, accelerator);
    weights[index(unit)] = std::isfinite(time) ? time : 0;  // it will not run there
  }
  return weights;
}

std::vector<double> net_weights(const AdditiveCost& cost, DeviceId accelerator) {
  const Problem& problem = cost.problem();
  std::vector<double> weights;
  if (problem.execution() == Execution::kCall) {
    for (const Net& net : cost.nets())
      weights.push_back(problem.write_to_host(net.tensor, accelerator).count());
    return weights;
  }
  const IdVector<TensorId, Duration> transfers = mean_transfers(problem);
  for (const Net& net : cost.nets()) weights.push_back(transfers[net.tensor].count());
  return weights;
}

#if BERTH_HAS_SCOTCH

// Scotch's objects, closed in reverse order of opening.
class ScotchRun {
 public:
  ScotchRun(const PartitionGraph& graph, const std::vector<double>& shares, double imbalance,
            std::uint64_t seed)
      : begin_(copy(graph.begin)),
        neighbour_(copy(graph.neighbour)),
        vertex_weight_(copy(graph.vertex_weight)),
        edge_weight_(copy(graph.edge_weight)),
        part_(graph.vertex_count(), 0) {
    // One thread and a seed of its own: the same answer each time, whoever else uses Scotch.
    SCOTCH_contextInit(&context_);
    SCOTCH_contextThreadSpawn(&context_, 1, nullptr);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextRandomClone(&context_);
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(seed & 0x7fffffffU));
    SCOTCH_contextRandomReset(&context_);
    SCOTCH_graphInit(&graph_);
    SCOTCH_graphInit(&bound_);
    SCOTCH_archInit(&architecture_);
    SCOTCH_stratInit(&strategy_);
    std::vector<SCOTCH_Num> size;
    for (const double share : shares)
      size.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::llround(share * 10000))));
    const auto parts = static_cast<SCOTCH_Num>(shares.size());
    const bool equal = std::all_of(size.begin(), size.end(), [&](auto s) { return s == size[0]; });
    const auto vertices = static_cast<SCOTCH_Num>(graph.vertex_count());
    const auto edges = static_cast<SCOTCH_Num>(graph.neighbour.size());
    done_ = SCOTCH_graphBuild(&graph_, 0, vertices, begin_.data(), nullptr, vertex_weight_.data(),
                              nullptr, edges, neighbour_.data(), edge_weight_.data()) == 0 &&
            SCOTCH_contextBindGraph(&context_, &graph_, &bound_) == 0 &&
            (equal ? SCOTCH_archCmplt(&architecture_, parts)
                   : SCOTCH_archCmpltw(&architecture_, parts, size.data())) == 0 &&
            SCOTCH_stratGraphMapBuild(&strategy_, SCOTCH_STRATDEFAULT, parts, imbalance) == 0 &&
            SCOTCH_graphMap(&bound_, &architecture_, &strategy_, part_.data()) == 0;
  }
  ~ScotchRun() {
    SCOTCH_stratExit(&strategy_);
    SCOTCH_archExit(&architecture_);
    SCOTCH_graphExit(&bound_);
    SCOTCH_graphExit(&graph_);
    SCOTCH_contextExit(&context_);
  }
  ScotchRun(const ScotchRun&) = delete;
  ScotchRun& operator=(const ScotchRun&) = delete;

  bool done() const { return done_; }
  std::vector<std::int32_t> parts() const {
    std::vector<std::int32_t> parts;
    for (const SCOTCH_Num part : part_) parts.push_back(static_cast<std::int32_t>(part));
    return parts;
  }

 private:
  static std::vector<SCOTCH_Num> copy(const std::vector<std::int32_t>& from) {
    return {from.begin(), from.end()};
  }

  std::vector<SCOTCH_Num> begin_, neighbour_, vertex_weight_, edge_weight_, part_;
  SCOTCH_Context context_;
  SCOTCH_Graph graph_, bound_;
  SCOTCH_Arch architecture_;
  SCOTCH_Strat strategy_;
  bool done_ = false;
};

std::optional<std::vector<std::int32_t>> scotch_parts(const PartitionGraph& graph,
                                                      const std::vector<double>& shares,
                                                      double imbalance, std::uint64_t seed) {
  if (shares.size() == 1) return std::vector<std::int32_t>(graph.vertex_count(), 0);
  const ScotchRun run(graph, shares, imbalance, seed);
  if (!run.done()) return std::nullopt;
  return run.parts();
}

#else

std::optional<std::vector<std::int32_t>> scotch_parts(const PartitionGraph&,
                                                      const std::vector<double>&, double,
                                                      std::uint64_t) {
  return std::nullopt;  // not reached: place() has said so
}

#endif

}  // namespace

ScotchPlacer::ScotchPlacer(Options options) : options_(options) {
  if (!(options.imbalance >= 0 && options.imbalance <= 10))
    throw Error(fmt::format("scotch(imbalance=...) is {}, expected 0 to 10", options.imbalance));
}

Outcome ScotchPlacer::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (!BERTH_HAS_SCOTCH) return {.reason = "this build lacks Scotch: " BERTH_WHY_NOT_SCOTCH};
  const AdditiveCost cost(problem);
  const std::vector<DeviceId> devices = devices_to_share(problem);
  const PartitionGraph graph = partition_graph(cost, unit_weights(cost, devices.front()),
                                               net_weights(cost, devices.front()));
  const std::optional<std::vector<std::int32_t>> parts =
      scotch_parts(graph, speed_shares(cost, devices), options_.imbalance, rng());
  Outcome outcome;
  outcome.reason = "Scotch finds no partition";
  if (parts) outcome = outcome_from_parts(problem, devices, *parts, budget);
  return outcome;
}

}  // namespace berth
