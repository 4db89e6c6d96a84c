#include "berth/place/heuristic/min_cut.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/graph/order.h"
#include "berth/modules/build_config.h"
#include "berth/place/heuristic/partition.h"

#if BERTH_HAS_METIS
#include <metis.h>
#endif

namespace berth {
namespace {

std::vector<DeviceId> all_devices(const Problem& problem) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.devices()) devices.push_back(device);
  return devices;
}

// Bytes of every tensor, or its transfer time. Problems with given transfer times may carry no
// sizes; then time is all there is.
std::vector<double> net_weights(const AdditiveCost& cost, PartitionWeight kind,
                                std::vector<std::string>& notes) {
  std::vector<double> weights;
  double sum = 0;
  if (kind == PartitionWeight::kBytes)
    for (const Net& net : cost.nets()) {
      weights.push_back(static_cast<double>(cost.problem().graph().tensor(net.tensor).size.count));
      sum += weights.back();
    }
  if (sum > 0 || cost.nets().empty()) return weights;
  if (kind == PartitionWeight::kBytes)
    notes.push_back("the tensors have no sizes: edges are weighed by transfer time");
  const IdVector<TensorId, Duration> transfers = mean_transfers(cost.problem());
  weights.clear();
  for (const Net& net : cost.nets()) weights.push_back(transfers[net.tensor].count());
  return weights;
}

struct Balance {
  std::vector<double> unit_weights, shares;
};

Balance balance_of(const AdditiveCost& cost, PartitionBalance kind,
                   const std::vector<DeviceId>& devices) {
  if (kind == PartitionBalance::kTime) return {mean_unit_times(cost), speed_shares(cost, devices)};
  Balance balance;
  const AdditiveCost sized = cost.with_generous_sizes();
  for (const UnitId unit : cost.problem().units())
    balance.unit_weights.push_back(sized.bytes(unit));
  double total = 0;
  for (const DeviceId device : devices) {
    const std::optional<Bytes> limit = cost.problem().cluster().device(device).memory;
    balance.shares.push_back(limit ? std::max(1.0, static_cast<double>(limit->count)) : 0);
    total += balance.shares.back();
  }
  const bool limited =
      std::find(balance.shares.begin(), balance.shares.end(), 0.0) == balance.shares.end();
  for (double& share : balance.shares)  // without limits everywhere there is nothing to be fair to
    share = limited ? share / total : 1.0 / static_cast<double>(devices.size());
  return balance;
}

#if BERTH_HAS_METIS

// Empty when METIS gives up.
std::optional<std::vector<std::int32_t>> metis_parts(const PartitionGraph& graph,
                                                     const std::vector<double>& shares,
                                                     double imbalance, std::uint64_t seed) {
  std::vector<std::int32_t> parts(graph.vertex_count(), 0);
  if (shares.size() == 1) return parts;
  if (graph.vertex_count() <= shares.size()) {  // METIS needs more vertices than parts
    std::iota(parts.begin(), parts.end(), 0);
    return parts;
  }
  const auto copy = [](const std::vector<std::int32_t>& from) {
    return std::vector<idx_t>(from.begin(), from.end());  // METIS may be built with 64 bits
  };
  std::vector<idx_t> begin = copy(graph.begin), neighbour = copy(graph.neighbour);
  std::vector<idx_t> vertex_weight = copy(graph.vertex_weight),
                     edge_weight = copy(graph.edge_weight);
  std::vector<idx_t> part(graph.vertex_count(), 0);
  std::vector<real_t> target(shares.begin(), shares.end());
  real_t allowed = static_cast<real_t>(1 + imbalance);
  idx_t vertices = static_cast<idx_t>(graph.vertex_count());
  idx_t count = static_cast<idx_t>(shares.size());
  idx_t constraints = 1, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7fffffffU);
  options[METIS_OPTION_NCUTS] = 4;  // the best of four runs
  // Recursive bisection cuts less for few parts, the direct method is faster for many.
  const auto partition = count <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status = partition(&vertices, &constraints, begin.data(), neighbour.data(),
                               vertex_weight.data(), nullptr, edge_weight.data(), &count,
                               target.data(), &allowed, options, &cut, part.data());
  if (status != METIS_OK) return std::nullopt;
  std::transform(part.begin(), part.end(), parts.begin(),
                 [](idx_t p) { return static_cast<std::int32_t>(p); });
  return parts;
}

#else

std::optional<std::vector<std::int32_t>> metis_parts(const PartitionGraph&,
                                                     const std::vector<double>&, double,
                                                     std::uint64_t) {
  return std::nullopt;  // not reached: place() has said so
}

#endif

}  // namespace

MinCut::MinCut(Options options) : options_(options) {
  if (!(options.imbalance >= 0.001 && options.imbalance <= 10))
    throw Error(
        fmt::format("min-cut(imbalance=...) is {}, expected 0.001 to 10", options.imbalance));
}

Outcome MinCut::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (!BERTH_HAS_METIS) return {.reason = "this build lacks METIS: " BERTH_WHY_NOT_METIS};
  const AdditiveCost cost(problem);
  const std::vector<DeviceId> devices = all_devices(problem);
  std::vector<std::string> notes;
  const Balance balance = balance_of(cost, options_.balance, devices);
  const PartitionGraph graph =
      partition_graph(cost, balance.unit_weights, net_weights(cost, options_.weight, notes));
  const std::optional<std::vector<std::int32_t>> parts =
      metis_parts(graph, balance.shares, options_.imbalance, rng());
  Outcome outcome;
  outcome.reason = "METIS finds no partition";
  if (parts) outcome = outcome_from_parts(problem, devices, *parts, budget);
  outcome.notes = std::move(notes);
  return outcome;
}

}  // namespace berth
