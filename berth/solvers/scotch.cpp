// The Scotch module: balanced partitions for `scotch`.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <scotch.h>  // uses the types of <cstdint> and <cstdio> without including them

#include "berth/modules/build_config.h"
#include "berth/modules/module.h"
#include "berth/solvers/partitioner.h"

namespace berth {
namespace {

// Scotch's objects, closed in reverse order of opening.
class ScotchRun {
 public:
  ScotchRun(const PartitionGraph& graph, std::span<const double> shares, double imbalance,
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
  PartOfVertex parts() const {
    PartOfVertex parts;
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

std::optional<PartOfVertex> partition(const PartitionGraph& graph, std::span<const double> shares,
                                      double imbalance, std::uint64_t seed) {
  if (shares.size() == 1) return PartOfVertex(graph.vertex_count(), 0);
  const ScotchRun run(graph, shares, imbalance, seed);
  if (!run.done()) return std::nullopt;
  return run.parts();
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  static const std::string version = [] {
    int major = 0, minor = 0, patch = 0;
    SCOTCH_version(&major, &minor, &patch);
    return fmt::format("{}.{}.{}", major, minor, patch);
  }();
  static const ModuleInterface module{.berth_version = BERTH_VERSION,
                                      .version = version,
                                      .self_check = [] { return check_partition(partition); },
                                      .partition = partition};
  return &module;
}

}  // namespace berth
