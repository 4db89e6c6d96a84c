// A model as OpenVINO has it and as berth places it, with the map between the two.
//
// A node of the graph is an operator that runs (operators.h). Constants, and what is computed from
// constants alone, are its weights; Parameters and Results are the edges of the model. None of them
// is a node: whoever cuts the model copies constants to every piece that uses them and gives each
// Parameter and Result to the piece of its neighbour.
//
// graph() is what is placed: a node has the floating-point operations of one run (flops.h), the
// bytes of its constants in the element types of the file as weights, and its co-location group
// (colocation.h). A constant of kTiedWeight or more is counted once, for its first user; a smaller
// one for each user. Single numbers, and up to kTiedWeight of 32- or 64-bit integers (axes, shapes,
// positions), are settings and no weights. A file without weight values has its weights as inputs;
// those of convolutions, normalisations and matrix products are counted too.
//
// untied_graph() does not tie the users of one weight to one device: each weight whose users could
// part (shared_constants.h) is a further node without time, named as the constant. It holds the bytes,
// and its one tensor, of role kWeight, goes to all users. Nothing runs that way here: it is what
// graphs of TensorFlow say, and placers of such graphs are compared on.
//
// raw_graph() is what the file has: one node per op, Constants, Converts, Parameters and Results
// included; the weights of a Constant are its bytes. Its edges are what HSDAG counts.
//
// Friendly names are unique in `ov_model()`: open() renames duplicates, so that a node and the
// operator of the same name, in the model or in any clone of it, are the same thing.
#pragma once

#include <unordered_map>

#include <openvino/openvino.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

class OpenvinoModel final : public Model {
 public:
  // Folds constants, apart from the decompression of weights, and derives the graph.
  // Every input has a static shape. Throws Error when nothing runs.
  OpenvinoModel(std::string name, std::shared_ptr<ov::Model> model);

  const std::string& name() const override { return name_; }
  const Graph& graph() const override { return graph_; }
  Graph untied_graph() const override;
  Graph raw_graph() const override { return raw_graph_; }

  const std::shared_ptr<ov::Model>& ov_model() const { return model_; }
  // The operator of a node, in ov_model(); its friendly name is the node's name.
  const std::shared_ptr<ov::Node>& op(NodeId node) const { return ops_[node]; }
  // Empty for constants, what is computed from constants alone, Parameters and Results.
  std::optional<NodeId> find(const std::string& friendly_name) const;

 private:
  std::string name_;
  std::shared_ptr<ov::Model> model_;
  Graph raw_graph_, graph_;
  IdVector<NodeId, std::shared_ptr<ov::Node>> ops_;
  std::unordered_map<std::string, NodeId> by_name_;
};

// What open() returned, as what it is. Any other Model is a bug of the caller.
const OpenvinoModel& openvino_model(const Model& model);

}  // namespace berth
