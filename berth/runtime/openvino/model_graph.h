// An OpenVINO model as a berth graph, in two views.
//
// model_graph is what is placed: one node per operator that runs (operators.h), with the floating-
// point operations of one run (flops.h), the bytes of its constants in the element types of the
// file as weights, and its co-location group (colocation.h). A constant of kTiedWeight or more is
// counted once, for its first user; a smaller one for each user. Single numbers, and up to
// kTiedWeight of 32- or 64-bit integers (axes, shapes, positions), are settings and no weights.
//
// A file without weight values has its weights as inputs; those of convolutions, normalisations and
// matrix products are counted too.
//
// raw_graph is what the file has: one node per op, Constants, Converts, Parameters and Results
// included; the weights of a Constant are its bytes. Its edges are what HSDAG counts.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

#include "berth/base/ids.h"
#include "berth/graph/graph.h"

namespace berth {

struct ModelGraph {
  Graph graph;
  IdVector<NodeId, std::shared_ptr<ov::Node>> ops;
};

// Throws Error when nothing runs. Friendly names are unique.
ModelGraph model_graph(const ov::Model& model);
Graph raw_graph(const ov::Model& model);

}  // namespace berth
