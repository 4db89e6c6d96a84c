// A model cut into sub-models, one per piece of a placement.
//
// A piece is a set of operators. Its sub-model has a Parameter for every tensor that comes from
// outside and a Result for every tensor that is used outside, so it is a function of the set alone:
// two placements that share a piece share its sub-model, and what was compiled for it. Constants,
// and what is computed from constants alone, are copied into every piece that uses them (the bytes
// are shared); Parameters and Results of the whole model belong to the pieces beside them.
//
//   inputs(P)  = outputs of operators outside P, or Parameters, with a consumer in P
//   outputs(P) = outputs of operators in P with a consumer outside P, Results included
//
// No input reaches a Result without an operator between: plugins refuse that. O(size of the piece).
#pragma once

#include "berth/runtime/openvino/model.h"
#include "berth/sim/pieces.h"

namespace berth {

struct SubModel {
  std::shared_ptr<ov::Model> model;
  std::vector<ov::Output<ov::Node>> inputs;   // in the whole model; one per Parameter
  std::vector<ov::Output<ov::Node>> outputs;  // in the whole model; one per Result
};

// `nodes` is any set of operators. Throws Error when the model keeps state between requests and the
// set is not all of it.
SubModel cut_out(const OpenvinoModel& model, std::span<const NodeId> nodes);

// "operator:port", or just the name of what has no inputs.
std::string tensor_name(const ov::Output<ov::Node>& output);

// Where a tensor comes from.
struct TensorSource {
  enum class Kind : std::uint8_t { kModelInput, kPiece, kConstant };
  Kind kind = Kind::kModelInput;
  std::size_t piece = 0;  // kPiece
  std::size_t port = 0;   // input of the model, or output of the piece
  ov::Tensor constant;    // kConstant: an output of the model that depends on no input
};

// Which tensor goes where when pieces run as sub-models.
struct Wiring {
  std::vector<std::vector<TensorSource>> inputs;  // by piece, by Parameter of its sub-model
  std::vector<TensorSource> outputs;              // by Result of the whole model
};

Wiring wire(const OpenvinoModel& model, std::span<const SubModel* const> pieces);

// The pieces that such an executor runs, HETERO's apart.
Pieces pieces_of(const Graph& graph, const Placement& placement, ExecutorKind kind);

// The nodes of each piece, ascending.
std::vector<std::vector<NodeId>> members_of(const Pieces& pieces);

}  // namespace berth
