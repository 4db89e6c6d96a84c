#include "berth/runtime/openvino/model.h"

#include <cassert>
#include <unordered_set>

#include <openvino/op/ops.hpp>
#include <openvino/pass/constant_folding.hpp>
#include <openvino/pass/manager.hpp>

#include "berth/base/fail.h"
#include "berth/runtime/openvino/colocation.h"
#include "berth/runtime/openvino/flops.h"
#include "berth/runtime/openvino/shared_constants.h"

namespace berth {
namespace {

using ov::op::v0::Constant;

void make_names_unique(const ov::Model& model) {
  std::unordered_set<std::string> taken;
  for (const auto& op : model.get_ordered_ops()) {
    const std::string& name = op->get_friendly_name();
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy)
      unique = name + "#" + std::to_string(copy);
    if (unique != name) op->set_friendly_name(unique);
  }
}

// Whether it converts a weight of f16, bf16, 8 or 4 bits to float.
bool decompresses(const ov::Node& op) {
  if (!ov::is_type<ov::op::v0::Convert>(&op)) return false;
  const ov::element::Type from = op.get_input_element_type(0), to = op.get_output_element_type(0);
  return ov::is_type<Constant>(op.get_input_node_ptr(0)) && to.is_real() && from.bitwidth() <= 16 &&
         from.bitwidth() < to.bitwidth();
}

// Replaces what is computed from constants alone by its value. Shape subgraphs (ShapeOf -> Gather
// -> Concat -> Reshape) become constants, because the shapes of all inputs are known: a cut through
// one would turn static shapes into dynamic ones.
//
// The decompression of weights, and the scale and zero point behind it, stays as it is: folded, it
// would take two to eight times the memory, and the bytes of a model would no longer be those of
// its file. It is marked for that, and the mark is taken off again: a plugin is free to fold what
// it compiles.
void fold_constants(const std::shared_ptr<ov::Model>& model) {
  std::vector<std::shared_ptr<ov::Node>> kept;
  for (const auto& op : model->get_ops())
    if (decompresses(*op) && !ov::pass::constant_folding_is_disabled(op)) kept.push_back(op);
  for (const auto& op : kept) ov::pass::disable_constant_folding(op);
  ov::pass::Manager manager;
  manager.register_pass<ov::pass::ConstantFolding>();
  manager.run_passes(model);
  for (const auto& op : kept) ov::pass::enable_constant_folding(op);
}

Tensor tensor_of(const auto& output) {
  const ov::PartialShape& shape = output.get_partial_shape();
  const ov::element::Type type = output.get_element_type();
  Tensor tensor{.size = byte_size(type, element_count(shape)),
                .shape = {},
                .element_type = type.is_dynamic() ? "" : type.get_type_name()};
  if (shape.is_static())
    for (const ov::Dimension& dimension : shape) tensor.shape.push_back(dimension.get_length());
  return tensor;
}

// An axis, a shape, an epsilon: part of what the operator does, nothing that was trained.
bool is_setting(const Constant& constant) {
  const ov::element::Type type = constant.get_element_type();
  const bool integers = type == ov::element::i64 || type == ov::element::i32;
  return ov::shape_size(constant.get_shape()) == 1 || (integers && size_of(constant) < kTiedWeight);
}

// Weights that the file leaves out and the model therefore takes as inputs: Parameters where only a
// weight makes sense.
Bytes weights_from_inputs(const ov::Node& op) {
  using namespace ov::op;
  const bool always =
      ov::is_type_any_of<v1::Convolution, v1::GroupConvolution, v1::ConvolutionBackpropData,
                         v1::GroupConvolutionBackpropData, v0::BatchNormInference,
                         v5::BatchNormInference>(&op);
  const bool product = ov::is_type<v0::MatMul>(&op) &&
                       !ov::is_type<v0::Parameter>(op.get_input_node_ptr(0)) &&
                       op.get_input_partial_shape(1).rank().compatible(2);
  Bytes sum{};
  if (!always && !product) return sum;
  const std::size_t data = ov::is_type<v0::BatchNormInference>(&op) ? 2 : 0;
  for (std::size_t i = 0; i < op.get_input_size(); ++i)
    if (i != data && ov::is_type<v0::Parameter>(op.get_input_node_ptr(i)))
      sum += byte_size(op.get_input_element_type(i), element_count(op.get_input_partial_shape(i)));
  return sum;
}

// Constants inside the bodies of loops and branches.
Bytes body_weights(const ov::Node& op) {
  Bytes sum{};
  const auto* nested = ov::as_type<const ov::op::util::MultiSubGraphOp>(&op);
  if (nested == nullptr) return sum;
  for (std::size_t i = 0; i < nested->get_internal_subgraphs_size(); ++i)
    for (const auto& inner : nested->get_function(static_cast<int>(i))->get_ops()) {
      const auto* constant = ov::as_type<const Constant>(inner.get());
      if (constant != nullptr && !is_setting(*constant)) sum += size_of(*constant);
      sum += body_weights(*inner);
    }
  return sum;
}

NodeId add_node(GraphBuilder& builder, const ov::Node& op, Bytes weights,
                std::int32_t group = kNoGroup) {
  return builder.add_node({.name = op.get_friendly_name(),
                           .alias = {},
                           .op_type = op.get_type_name(),
                           .flops = flops(op),
                           .weights = weights,
                           .group = group});
}

// The tensors that anybody uses, and their users where these are nodes.
void add_tensors(GraphBuilder& builder, std::span<const std::shared_ptr<ov::Node>> ops,
                 const std::unordered_map<const ov::Node*, NodeId>& node_of) {
  for (const auto& op : ops)
    for (const auto& output : op->outputs()) {
      const auto inputs = output.get_target_inputs();
      if (inputs.empty()) continue;
      const TensorId tensor = builder.add_tensor(node_of.at(op.get()), tensor_of(output));
      for (const auto& input : inputs) {
        const auto user = node_of.find(input.get_node());
        if (user != node_of.end()) builder.add_use(tensor, user->second);
      }
    }
}

// A node that holds the weight and sends it to all who use it.
void add_weight(GraphBuilder& builder, const SharedConstant& weight) {
  const NodeId node = add_node(builder, *weight.constant, size_of(*weight.constant));
  Tensor tensor = tensor_of(weight.constant->output(0));
  tensor.size = size_of(*weight.constant);
  tensor.role = TensorRole::kWeight;
  const TensorId id = builder.add_tensor(node, std::move(tensor));
  for (const NodeId user : weight.users) builder.add_use(id, user);
}

Graph graph_of(const Operators& operators, SharedWeights form) {
  const IdVector<NodeId, std::int32_t> groups = colocation_groups(operators, form);
  std::vector<SharedConstant> apart;
  if (form == SharedWeights::kUntied) apart = constants_between_groups(operators, groups);
  GraphBuilder builder;
  std::unordered_set<const Constant*> counted;
  for (const SharedConstant& weight : apart) counted.insert(weight.constant);
  for (const NodeId node : operators.ops.ids()) {
    const ov::Node& op = *operators.ops[node];
    Bytes weights = body_weights(op) + weights_from_inputs(op);
    for (const Constant* constant : operators.constants[node]) {
      if (is_setting(*constant)) continue;
      const Bytes size = size_of(*constant);
      if (size < kTiedWeight || counted.insert(constant).second) weights += size;
    }
    add_node(builder, op, weights, groups[node]);
  }
  add_tensors(builder, operators.ops.items(), operators.node_of);
  for (const SharedConstant& weight : apart) add_weight(builder, weight);
  return std::move(builder).build();
}

Graph raw_graph_of(const ov::Model& model) {
  GraphBuilder builder;
  std::unordered_map<const ov::Node*, NodeId> node_of;
  const auto ops = model.get_ordered_ops();
  for (const auto& op : ops) {
    const auto* constant = ov::as_type<const Constant>(op.get());
    const Bytes weights = constant == nullptr ? Bytes{} : size_of(*constant);
    node_of.emplace(op.get(), add_node(builder, *op, weights));
  }
  add_tensors(builder, ops, node_of);
  return std::move(builder).build();
}

}  // namespace

OpenvinoModel::OpenvinoModel(std::string name, std::shared_ptr<ov::Model> model)
    : name_(std::move(name)), model_(std::move(model)) {
  make_names_unique(*model_);
  raw_graph_ = raw_graph_of(*model_);
  fold_constants(model_);
  make_names_unique(*model_);
  Operators operators = running_operators(*model_);
  if (operators.ops.empty())
    fail("{}: no operator is left to run after constants are folded", model_->get_friendly_name());
  graph_ = graph_of(operators, SharedWeights::kTied);
  ops_ = std::move(operators.ops);
  for (const NodeId node : ops_.ids()) by_name_.emplace(ops_[node]->get_friendly_name(), node);
}

Graph OpenvinoModel::untied_graph() const {
  return graph_of(running_operators(*model_), SharedWeights::kUntied);
}

std::optional<NodeId> OpenvinoModel::find(const std::string& friendly_name) const {
  const auto found = by_name_.find(friendly_name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

const OpenvinoModel& openvino_model(const Model& model) {
  const auto* ours = dynamic_cast<const OpenvinoModel*>(&model);
  assert(ours != nullptr);  // a Runtime is given back only what it opened
  return *ours;
}

}  // namespace berth
