#include "berth/runtime/openvino/colocation.h"

#include <algorithm>
#include <utility>

#include <openvino/op/ops.hpp>

#include "berth/graph/graph.h"
#include "berth/graph/union_find.h"
#include "berth/runtime/openvino/shared_constants.h"

namespace berth {
namespace {

using namespace ov::op;

bool is_matrix_op(const ov::Node* op) {
  return ov::is_type_any_of<v1::Convolution, v1::GroupConvolution, v1::ConvolutionBackpropData,
                            v1::GroupConvolutionBackpropData, v0::MatMul>(op);
}

bool is_pointwise(const ov::Node* op) {
  return ov::is_type_any_of<util::UnaryElementwiseArithmetic, util::BinaryElementwiseArithmetic,
                            v0::Clamp, v0::Elu, v0::Gelu, v7::Gelu, v0::HardSigmoid, v0::PRelu,
                            v0::Selu, v4::HSwish, v4::Mish, v4::SoftPlus, v4::Swish, v5::HSigmoid,
                            v0::FakeQuantize>(op);
}

bool is_view(const ov::Node* op) {
  return ov::is_type_any_of<v1::Reshape, v0::Squeeze, v15::Squeeze, v0::Unsqueeze>(op);
}

bool makes_shape(const ov::Node* op) {
  return std::ranges::all_of(op->outputs(), [](const auto& output) {
    const ov::PartialShape& shape = output.get_partial_shape();
    return output.get_element_type().is_integral_number() && shape.rank().is_static() &&
           shape.size() <= 1;
  });
}

class Joins {
 public:
  explicit Joins(const Operators& operators)
      : operators_(operators),
        sets_(operators.ops.size()),
        depth_(operators.ops.size(), 0),
        ends_matrix_chain_(operators.ops.size(), false) {}

  IdVector<NodeId, std::int32_t> groups(SharedWeights weights) {
    if (weights == SharedWeights::kTied) join_tied();
    join_states();
    for (const NodeId node : operators_.ops.ids()) {
      const ov::Node* op = operators_.ops[node].get();
      for (const NodeId producer : producers(node))
        depth_[node] = std::max(depth_[node], depth_[producer] + 1);
      ends_matrix_chain_[node] = is_matrix_op(op);
      if (makes_shape(op))
        join_users(node);
      else if (ov::is_type<v0::Convert>(op))
        join_convert(node);
      else if (is_view(op) || is_pointwise(op))
        join_fused(node);
    }
    return numbered();
  }

 private:
  void join(NodeId a, NodeId b) {
    sets_.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  }

  void join_tied() {
    for (const SharedConstant& weight : shared_constants(operators_))
      for (const NodeId user : weight.users) join(weight.users.front(), user);
  }

  void join_states() {
    std::unordered_map<std::string, NodeId> first_user;
    for (const NodeId node : operators_.ops.ids())
      if (const auto* state =
              dynamic_cast<const util::VariableExtension*>(operators_.ops[node].get()))
        join(first_user.emplace(state->get_variable_id(), node).first->second, node);
  }

  void join_users(NodeId node) {
    for (const NodeId user : users_of(operators_, node).nodes) join(node, user);
  }

  // The operators that make the inputs which are not constant, in the order of the ports.
  std::vector<NodeId> producers(NodeId node) const {
    std::vector<NodeId> result;
    for (const auto& value : operators_.ops[node]->input_values()) {
      const auto found = operators_.node_of.find(value.get_node());
      if (found != operators_.node_of.end()) result.push_back(found->second);
    }
    return result;
  }

  bool is_only_user(NodeId producer) const {
    const Users users = users_of(operators_, producer);
    return users.nodes.size() == 1 && !users.leaves_model;
  }

  void join_convert(NodeId node) {
    const std::vector<NodeId> from = producers(node);
    if (is_only_user(node))
      join_users(node);
    else if (!from.empty())
      join(from.front(), node);
  }

  void join_fused(NodeId node) {
    const ov::Node* op = operators_.ops[node].get();
    std::vector<NodeId> from = producers(node);
    const bool one_input = running_inputs(op) == 1;
    std::erase_if(from, [&](NodeId producer) {
      return !is_only_user(producer) || (!one_input && !ends_matrix_chain_[producer]);
    });
    if (from.empty()) return;
    const NodeId producer = *std::ranges::max_element(
        from, {}, [&](NodeId one) { return std::pair(depth_[one], one); });
    join(producer, node);
    ends_matrix_chain_[node] = is_pointwise(op) && ends_matrix_chain_[producer];
  }

  // Distinct sources that are not constant, Parameters included.
  std::size_t running_inputs(const ov::Node* op) const {
    std::vector<const ov::Node*> sources;
    for (std::size_t i = 0; i < op->get_input_size(); ++i) {
      const ov::Node* source = op->get_input_node_ptr(i);
      const bool runs = operators_.node_of.contains(source) || ov::is_type<v0::Parameter>(source);
      if (runs && std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
    return sources.size();
  }

  IdVector<NodeId, std::int32_t> numbered() {
    const std::size_t count = operators_.ops.size();
    std::vector<int> size(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) ++size[sets_.find(i)];
    IdVector<NodeId, std::int32_t> result(count, kNoGroup);
    std::int32_t next = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t root = sets_.find(i);  // the smallest of its set
      if (size[root] < 2) continue;
      result[static_cast<NodeId>(i)] = root == i ? next++ : result[static_cast<NodeId>(root)];
    }
    return result;
  }

  const Operators& operators_;
  UnionFind sets_;
  IdVector<NodeId, int> depth_;  // operators on the longest way from an input
  IdVector<NodeId, bool> ends_matrix_chain_;
};

}  // namespace

IdVector<NodeId, std::int32_t> colocation_groups(const Operators& operators,
                                                 SharedWeights weights) {
  return Joins(operators).groups(weights);
}

}  // namespace berth
