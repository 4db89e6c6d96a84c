#include "berth/runtime/openvino/model_graph.h"

#include <unordered_set>

#include <fmt/format.h>
#include <openvino/op/batch_norm.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/convolution.hpp>
#include <openvino/op/group_conv.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>

#include "berth/base/error.h"
#include "berth/runtime/openvino/colocation.h"
#include "berth/runtime/openvino/flops.h"
#include "berth/runtime/openvino/operators.h"

namespace berth {
namespace {

using ov::op::v0::Constant;

Tensor tensor_of(const ov::Output<ov::Node>& output) {
  const ov::PartialShape& shape = output.get_partial_shape();
  const ov::element::Type type = output.get_element_type();
  Tensor tensor{.size = byte_size(type, element_count(shape)),
                .shape = {},
                .element_type = type.is_dynamic() ? "" : type.get_type_name()};
  if (shape.is_static())
    for (const ov::Dimension& dimension : shape) tensor.shape.push_back(dimension.get_length());
  return tensor;
}

Bytes size_of(const Constant& constant) {
  return Bytes{static_cast<std::int64_t>(constant.get_byte_size())};
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

}  // namespace

ModelGraph model_graph(const ov::Model& model) {
  Operators operators = running_operators(model);
  if (operators.ops.empty())
    throw Error(fmt::format("{}: no operator is left to run after constants are folded",
                            model.get_friendly_name()));
  const IdVector<NodeId, std::int32_t> groups = colocation_groups(operators);

  GraphBuilder builder;
  std::unordered_set<const Constant*> counted;
  for (const NodeId node : operators.ops.ids()) {
    const ov::Node& op = *operators.ops[node];
    Bytes weights = body_weights(op) + weights_from_inputs(op);
    for (const Constant* constant : operators.constants[node]) {
      if (is_setting(*constant)) continue;
      const Bytes size = size_of(*constant);
      if (size < kTiedWeight || counted.insert(constant).second) weights += size;
    }
    builder.add_node({.name = op.get_friendly_name(),
                      .alias = {},
                      .op_type = op.get_type_name(),
                      .flops = flops(op),
                      .weights = weights,
                      .group = groups[node]});
  }
  for (const NodeId node : operators.ops.ids())
    for (const auto& output : operators.ops[node]->outputs()) {
      const auto inputs = output.get_target_inputs();
      if (inputs.empty()) continue;
      const TensorId tensor = builder.add_tensor(node, tensor_of(output));
      for (const auto& input : inputs) {
        const auto user = operators.node_of.find(input.get_node());
        if (user != operators.node_of.end()) builder.add_use(tensor, user->second);
      }
    }
  return {std::move(builder).build(), std::move(operators.ops)};
}

Graph raw_graph(const ov::Model& model) {
  GraphBuilder builder;
  std::unordered_map<const ov::Node*, NodeId> node_of;
  const auto ops = model.get_ordered_ops();
  for (const auto& op : ops) {
    const auto* constant = ov::as_type<const Constant>(op.get());
    node_of.emplace(
        op.get(),
        builder.add_node(
            {.name = op->get_friendly_name(),
             .alias = {},
             .op_type = op->get_type_name(),
             .flops = flops(*op),
             .weights = Bytes{
                 constant == nullptr ? 0 : static_cast<std::int64_t>(constant->get_byte_size())}}));
  }
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
  return std::move(builder).build();
}

}  // namespace berth
