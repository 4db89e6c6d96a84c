#include "berth/runtime/openvino/operators.h"

#include <algorithm>
#include <unordered_set>

#include <openvino/op/ops.hpp>

namespace berth {
namespace {

using namespace ov::op;
using v0::Constant;

// Gives another value each time, although its inputs are constant.
bool varies(const ov::Node* op) {
  return ov::is_type_any_of<v8::RandomUniform, v13::Multinomial, util::ReadValueBase,
                            util::AssignBase>(op);
}

bool is_constant(const ov::Node* op, const std::unordered_set<const ov::Node*>& constants) {
  if (ov::is_type<Constant>(op)) return true;
  if (op->get_input_size() == 0 || varies(op) || ov::is_type<v0::Result>(op)) return false;
  return std::ranges::all_of(
      op->input_values(), [&](const auto& value) { return constants.contains(value.get_node()); });
}

void collect_constants(const ov::Node* op, std::vector<const Constant*>& found) {
  if (const auto* constant = ov::as_type<const Constant>(op)) {
    if (std::ranges::find(found, constant) == found.end()) found.push_back(constant);
    return;
  }
  for (const auto& value : op->input_values()) collect_constants(value.get_node(), found);
}

}  // namespace

Operators running_operators(const ov::Model& model) {
  Operators result;
  std::unordered_set<const ov::Node*> constants;
  for (const auto& op : model.get_ordered_ops()) {
    if (is_constant(op.get(), constants)) {
      constants.insert(op.get());
      continue;
    }
    if (ov::is_type_any_of<v0::Parameter, v0::Result>(op.get())) continue;
    result.node_of.emplace(op.get(), result.ops.push_back(op));
    std::vector<const Constant*> used;
    for (const auto& value : op->input_values())
      if (constants.contains(value.get_node())) collect_constants(value.get_node(), used);
    result.constants.push_back(std::move(used));
  }
  return result;
}

Users users_of(const Operators& operators, NodeId node) {
  Users users;
  for (const auto& output : operators.ops[node]->outputs())
    for (const auto& input : output.get_target_inputs()) {
      const auto found = operators.node_of.find(input.get_node());
      if (found == operators.node_of.end())
        users.leaves_model = true;
      else if (std::ranges::find(users.nodes, found->second) == users.nodes.end())
        users.nodes.push_back(found->second);
    }
  return users;
}

std::int64_t element_count(const ov::PartialShape& shape) {
  if (shape.rank().is_dynamic()) return 1;
  // Beyond that it is the reader's business to refuse; here it must only not overflow.
  constexpr double kMost = 0x1p53;
  double count = 1;
  for (const ov::Dimension& dimension : shape)
    if (dimension.get_max_length() >= 0) count *= static_cast<double>(dimension.get_max_length());
  return static_cast<std::int64_t>(std::min(count, kMost));
}

Bytes byte_size(const ov::element::Type& type, std::int64_t elements) {
  const auto bits = static_cast<std::int64_t>(type.is_dynamic() ? 0 : type.bitwidth());
  return Bytes{(elements * bits + 7) / 8};
}

}  // namespace berth
