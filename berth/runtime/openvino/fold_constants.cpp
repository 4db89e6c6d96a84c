#include "berth/runtime/openvino/fold_constants.h"

#include <vector>

#include <openvino/op/constant.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/pass/constant_folding.hpp>
#include <openvino/pass/manager.hpp>

namespace berth {
namespace {

bool decompresses(const ov::Node& op) {
  if (ov::as_type<const ov::op::v0::Convert>(&op) == nullptr) return false;
  const ov::element::Type from = op.get_input_element_type(0), to = op.get_output_element_type(0);
  return ov::as_type<ov::op::v0::Constant>(op.get_input_node_ptr(0)) != nullptr && to.is_real() &&
         from.bitwidth() <= 16 && from.bitwidth() < to.bitwidth();
}

}  // namespace

void fold_constants(const std::shared_ptr<ov::Model>& model) {
  // The mark is taken off again: a plugin is free to fold what it compiles.
  std::vector<std::shared_ptr<ov::Node>> kept;
  for (const auto& op : model->get_ops())
    if (decompresses(*op) && !ov::pass::constant_folding_is_disabled(op)) kept.push_back(op);
  for (const auto& op : kept) ov::pass::disable_constant_folding(op);
  ov::pass::Manager manager;
  manager.register_pass<ov::pass::ConstantFolding>();
  manager.run_passes(model);
  for (const auto& op : kept) ov::pass::enable_constant_folding(op);
}

}  // namespace berth
