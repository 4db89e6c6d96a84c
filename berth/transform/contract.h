// Contraction: a smaller problem that stands for a larger one, with the map back.
//
// Sets of nodes become one contracted node each. What the coarse problem keeps:
//   times        add up: a contracted node takes the sum of its members' effective times, kForever
//                when one of them cannot run on the device
//   memory       weights add up; workspace is the largest, as members run one after another
//   tensors      used only inside a contracted node vanish; the others stay tensors of their own,
//                with their own transfer times, sent once per receiving device as before
//   constraints  pins, forbids and apart sets move to the contracted nodes; those that share a unit
//                of the fine problem share a group
// A contraction is valid only when the quotient graph is acyclic; both rules below guarantee it.
//
// Units: every co-location unit becomes one node. That can close a cycle (units of forward nodes
// and their backward mates do): members of a unit on a cycle of the quotient are first split into a
// forward and a backward part, and if a part still lies on a cycle its members stay single nodes.
// The parts of one unit remain tied by a group.
//
// Sole consumers: a node with exactly one successor joins it, to a fixed point (Baechi's
// co-placement). Contracted nodes are trees that leave only through their root, so no cycle can
// close. Edges that fall together by the contraction still count as several: otherwise every graph
// with one sink would shrink to one node. A node does not join where the two could not share a
// device: no device allowed for both, weights that fit on none, or a node named in an apart set.
//
// O(V + E) each, after which the coarse Problem is built in O(V + E).
//
// Jeon et al., Baechi: Fast Device Placement of Machine Learning Graphs, SoCC 2020.
#pragma once

#include "berth/placement.h"

namespace berth {

struct Coarsening {
  Problem problem;                     // the coarse one
  IdVector<NodeId, NodeId> coarse_of;  // fine node -> coarse node, numbered by first member
  IdLists<NodeId, NodeId> members_of;  // fine nodes by coarse node, topological within each
};

Coarsening contract_units(const Problem& fine);
Coarsening contract_sole_consumers(const Problem& fine);

// The coarse placement told for the fine nodes; an order runs the members of each in one go.
Placement expand(const Coarsening& coarsening, const Placement& coarse);

}  // namespace berth
