// `min-cut`: a balanced partition by METIS, one part per device.
//
// The classical baseline: cut the undirected graph into |D| parts of prescribed weight so that
// the weight of the edges between parts is least. Shares follow the devices' speeds (equal for
// equal devices) or, with balance=memory, their memory. Multilevel: heavy-edge matching down to a
// small graph, a partition there, refinement (Fiduccia-Mattheyses) on the way back. It ignores
// direction, schedule and memory limits, and a graph that is one chain of work is cut anyway: in
// published tables it is the slowest almost everywhere. Near linear in the size of the graph.
//
// Karypis and Kumar, A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs,
// SIAM J. Sci. Comput. 1998.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

enum class PartitionBalance : std::uint8_t { kTime, kMemory };
enum class PartitionWeight : std::uint8_t { kBytes, kTime };

template <>
struct OptionNames<PartitionBalance> {
  static constexpr std::array<std::pair<const char*, PartitionBalance>, 2> values{
      {{"time", PartitionBalance::kTime}, {"memory", PartitionBalance::kMemory}}};
};
template <>
struct OptionNames<PartitionWeight> {
  static constexpr std::array<std::pair<const char*, PartitionWeight>, 2> values{
      {{"bytes", PartitionWeight::kBytes}, {"time", PartitionWeight::kTime}}};
};

struct MinCutOptions {
  PartitionBalance balance = PartitionBalance::kTime;
  PartitionWeight weight = PartitionWeight::kBytes;
  double imbalance = 0.03;  // parts may exceed their share by this much

  void visit(auto& v) {
    v("balance", balance, "what parts share out: time or memory");
    v("weight", weight, "what a cut edge costs: bytes or (transfer) time");
    v("imbalance", imbalance, "parts may exceed their share by this fraction");
  }
  void check() const;
};

// Without METIS in this build: no placement, and the reason.
void min_cut(const Context& context, const MinCutOptions& options);

}  // namespace berth
