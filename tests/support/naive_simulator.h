// Every execution model once more, slow and literal, to disagree with berth/sim.
//
// Written from the headers of berth/sim alone: maps, sets and a list of events, one step at a
// time, no incremental sums and no flat arrays. What is shared with the library is the Problem
// (effective times), the graph, and priority_order.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/sim/memory.h"
#include "berth/sim/pieces.h"
#include "berth/sim/schedule.h"

namespace berth::naive {

// Execution "call": data passes host memory.
bool is_call(const Problem& problem);
// Throughput of contiguous pieces only.
bool wants_contiguous(const Problem& problem);

// concurrent.h
Schedule concurrent_schedule(const Problem& problem, const Placement& placement);

// pieces.h, as sets of nodes, in no particular order.
std::set<std::set<NodeId>> pieces(const Problem& problem, std::span<const DeviceId> device_of,
                                  PieceKind kind);
// The pieces of a library answer in the same form.
std::set<std::set<NodeId>> as_sets(const Pieces& pieces);

// pieces.h: the quotient of the forward graph by devices has no cycle.
bool forms_pipeline(const Problem& problem, std::span<const DeviceId> device_of);

// sequential.h
double sequential_value(const Problem& problem, std::span<const DeviceId> device_of);

// loads.h: call and pipeline throughput
double load_value(const Problem& problem, std::span<const DeviceId> device_of);

// replicas.h: throughput of calls
double replicated_value(const Problem& problem, const Placement& placement);

// call.h; the order of an accelerator's pieces is that of `calls`.
double call_latency(const Problem& problem, std::span<const DeviceId> device_of,
                    const Pieces& calls);

// piece_execution.h
double piece_value(const Problem& problem, const Placement& placement);

// The problem's objective, in microseconds.
double value(const Problem& problem, const Placement& placement);

// memory.h
IdVector<DeviceId, MemoryUse> peak_memory(const Problem& problem, const Placement& placement,
                                          const Schedule& schedule);

// The first rule or limit that the placement breaks, by the constraints, groups, costs and limits
// of the problem as they were given; empty when it keeps them all.
std::optional<std::string> broken(const Problem& problem, const Placement& placement);

}  // namespace berth::naive
