// A placement as a picture: the graph in the DOT language of Graphviz, coloured by device.
//
// Up to 400 nodes each node is a box with its name, kind and time, and the subgraphs of one device
// (sim/pieces.h) are framed. Larger graphs cannot be drawn legibly: there a subgraph is one box
// with the number of its nodes and their time. What crosses between devices is bold and says its
// bytes, or its time where sizes are not known; a tensor with several receivers in one box is one
// edge. `dot -Tsvg FILE` draws it.
//
// Gansner, Koutsofios, North, Vo, A Technique for Drawing Directed Graphs, IEEE TSE 1993.
#pragma once

#include "berth/placement.h"

namespace berth {

std::string write_dot(const Problem& problem, const Placement& placement);

}  // namespace berth
