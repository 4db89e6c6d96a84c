// Nodes and tensors of a berth problem file, as far as the file gives them.
#pragma once

#include "berth/io/json_value.h"
#include "berth/problem.h"

namespace berth {

struct GraphValues {
  std::optional<JsonValue> nodes, tensors;  // nodes must be there
  std::optional<TransferSource> transfers;  // what the file says; empty: as the tensors have it
};

// The graph and its costs on the `wanted` devices. Times that the file has are for its `own`: when
// the names differ they do not count. Nodes without times are estimated.
std::pair<Graph, Costs> graph_from(const GraphValues& values, const Cluster& own,
                                   const Cluster& wanted);

}  // namespace berth
