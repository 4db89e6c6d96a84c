// Groups of nodes as numbers, for placers that read them one after another.
//
//   output shapes   of the 5 largest tensors that leave a group, 5 dimensions each, log(1 + size),
//                   zero where there is none; a tensor of unknown shape has one size, its bytes
//   neighbours      where in the topological order 10 predecessors and 10 successors stand,
//                   from 0 to 1; -1 where there is none
//   sums            of the rows of each group's sets
//   edges between   how many edges between sets lead from one group to another
//
// As in the placers of Mirhoseini et al., ICML 2017 and ICLR 2018; their sizes are no logarithms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "berth/learn/node_features.h"
#include "berth/learn/parsing.h"
#include "berth/learn/policy_graph.h"

namespace berth {

// `group_of`: by node, all below `groups`.
FeatureMatrix output_shapes(const Graph& graph, const IdVector<NodeId, std::uint32_t>& group_of,
                            std::size_t groups);
FeatureMatrix neighbour_positions(const PolicyGraph& graph);

// Groups may be empty here: their rows are zero.
FeatureMatrix group_sums(const FeatureMatrix& sets, const Groups& groups);
// [groups, groups], from the row's group to the column's; nothing within a group.
FeatureMatrix edges_between(const PolicyGraph& graph, const Groups& groups);

// Divides each row by its largest entry + 1.
void scale_rows(FeatureMatrix& matrix);

}  // namespace berth
