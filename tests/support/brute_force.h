// The oracle: every placement of the units, scored by whoever asks.
//
// It enumerates all devices of all units that respect unit_allows and the apart sets, and, when
// orders matter (concurrent execution: a placement may carry an order), every topological order
// beside the default of no order. Exponential, for tiny problems only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/placement.h"
#include "berth/problem.h"

namespace berth {

struct BruteForce {
  std::optional<double> best;          // the least value in microseconds; empty: nothing feasible
  std::optional<Placement> placement;  // the first that reaches it
  std::uint64_t enumerated = 0;        // placements that obey the constraints
  std::uint64_t feasible = 0;          // of those, what the scorer accepted
};

// The value in microseconds, or nothing when the placement is not feasible.
using Scorer = std::function<std::optional<double>(const Placement&)>;

// More topological orders than that are not enumerated: who asks for them must look first.
inline constexpr std::size_t kMostOrders = 6000;
BruteForce brute_force(const Problem& problem, const Scorer& scorer, bool with_orders = false);

// A placement's order decides the schedule of concurrent execution, and so the memory of a
// pipeline.
bool orders_matter(const Problem& problem);

// The placement, and every way to make devices without work into replicas of those that have some.
void for_every_replication(const Problem& problem, const Placement& placement,
                           const std::function<void(const Placement&)>& visit);

// Every topological order, up to `most` of them; empty when there are more.
std::vector<std::vector<NodeId>> all_orders(const Graph& graph, std::size_t most);

}  // namespace berth
