// The METIS module: balanced partitions for `min-cut`.

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <metis.h>

#include "berth/modules/build_config.h"
#include "berth/modules/module.h"
#include "berth/modules/silence.h"
#include "berth/solvers/partitioner.h"

namespace berth {
namespace {

std::optional<PartOfVertex> partition(const PartitionGraph& graph, std::span<const double> shares,
                                      double imbalance, std::uint64_t seed) {
  PartOfVertex parts(graph.vertex_count(), 0);
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
  const auto method = count <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  // It remarks, whatever its options say, that a part has fewer vertices than it is to be cut into.
  const Silence silence(stdout);
  const int status =
      method(&vertices, &constraints, begin.data(), neighbour.data(), vertex_weight.data(), nullptr,
             edge_weight.data(), &count, target.data(), &allowed, options, &cut, part.data());
  if (status != METIS_OK) return std::nullopt;
  std::transform(part.begin(), part.end(), parts.begin(),
                 [](idx_t p) { return static_cast<std::int32_t>(p); });
  return parts;
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  static const std::string version =
      fmt::format("{}.{}.{}", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
  static const ModuleInterface module{.berth_version = BERTH_VERSION,
                                      .version = version,
                                      .self_check = [] { return check_partition(partition); },
                                      .partition = partition};
  return &module;
}

}  // namespace berth
