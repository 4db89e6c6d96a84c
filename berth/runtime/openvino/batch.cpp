#include "berth/runtime/openvino/batch.h"

#include <optional>

#include <openvino/op/ops.hpp>

namespace berth {
namespace {

std::optional<ov::Dimension> batch_of(const ov::Model& model) {
  for (const auto& input : model.get_parameters()) {
    const ov::PartialShape& shape = input->get_partial_shape();
    if (shape.rank().is_static() && shape.size() > 0) return shape[0];
  }
  return std::nullopt;
}

void set_batch_of_inputs(const ov::Model& model, const ov::Dimension& old, std::int64_t batch) {
  for (const auto& input : model.get_parameters()) {
    ov::PartialShape shape = input->get_partial_shape();
    if (shape.rank().is_dynamic() || shape.size() == 0) continue;
    if (!shape[0].is_dynamic() && shape[0] != old) continue;
    shape[0] = batch;
    input->set_partial_shape(shape);
  }
}

void set_batch_of_reshapes(const ov::Model& model, std::int64_t old, std::int64_t batch) {
  for (const auto& op : model.get_ordered_ops()) {
    if (!ov::is_type<ov::op::v1::Reshape>(op.get())) continue;
    if (ov::is_type<ov::op::v0::Constant>(op->get_input_node_ptr(0))) continue;  // a weight
    const auto target = ov::as_type_ptr<ov::op::v0::Constant>(op->get_input_node_shared_ptr(1));
    const ov::PartialShape& data = op->get_input_partial_shape(0);
    if (!target || data.rank().is_dynamic() || data.size() == 0 || data[0] != old) continue;
    std::vector<std::int64_t> shape = target->cast_vector<std::int64_t>();
    if (shape.empty() || shape[0] != old) continue;
    shape[0] = batch;
    const auto changed = std::make_shared<ov::op::v0::Constant>(target->get_element_type(),
                                                                target->get_shape(), shape);
    changed->set_friendly_name(op->get_friendly_name() + "/batch");
    op->input(1).replace_source_output(changed);
  }
}

}  // namespace

void set_batch(ov::Model& model, std::int64_t batch) {
  const std::optional<ov::Dimension> old = batch_of(model);
  if (!old) return;
  if (old->is_static()) set_batch_of_reshapes(model, old->get_length(), batch);
  set_batch_of_inputs(model, *old, batch);
  model.validate_nodes_and_infer_types();
}

}  // namespace berth
