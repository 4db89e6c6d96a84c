// A model as OpenVINO has it and as berth places it, with the map between the two.
//
// A node of the graph is an operator that runs. Constants, and what is computed from constants
// alone, are its weights; Parameters and Results are the edges of the model. None of them is a
// node: whoever cuts the model copies constants to every piece that uses them and gives each
// Parameter and Result to the piece of its neighbour.
//
// Friendly names are unique in `ov_model()`: open() renames duplicates, so that a node and the
// operator of the same name, in the model or in any clone of it, are the same thing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <openvino/core/model.hpp>

#include "berth/base/ids.h"
#include "berth/graph/graph.h"
#include "berth/runtime/runtime.h"

namespace berth {

class OpenvinoModel final : public Model {
 public:
  // Folds constants, apart from the decompression of weights, and derives the graph.
  // Every input has a static shape.
  OpenvinoModel(std::string name, std::shared_ptr<ov::Model> model);

  const std::string& name() const override { return name_; }
  const Graph& graph() const override { return graph_; }
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
