#include "berth/runtime/openvino/submodels.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <unordered_set>

#include <fmt/format.h>
#include <openvino/op/ops.hpp>

#include "berth/base/fail.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

using Output = ov::Output<ov::Node>;
using ov::op::v0::Parameter;

// Copies one piece, operator by operator.
class Cutter {
 public:
  Cutter(const OpenvinoModel& model, std::span<const NodeId> nodes) : model_(model) {
    for (const NodeId node : nodes) inside_.insert(model.op(node).get());
  }

  SubModel cut() {
    for (const std::shared_ptr<ov::Node>& op : model_.ov_model()->get_ordered_ops())
      if (inside_.contains(op.get())) copy_op(op);
    publish();
    assert(!results_.empty() && "an operator of a model is on a path to one of its outputs");
    result_.model = std::make_shared<ov::Model>(results_, parameters_);
    return std::move(result_);
  }

 private:
  void copy_op(const std::shared_ptr<ov::Node>& op) {
    ov::OutputVector inputs;
    for (const Output& value : op->input_values()) inputs.push_back(copied(value));
    std::shared_ptr<ov::Node> copy = op->clone_with_new_inputs(inputs);
    copy->set_friendly_name(op->get_friendly_name());
    copy->get_rt_info() = op->get_rt_info();
    copies_[op.get()] = copy;
  }

  Output copied(const Output& source) {
    ov::Node* const node = source.get_node();
    if (const auto known = copies_.find(node); known != copies_.end())
      return known->second->output(source.get_index());
    const bool runs = model_.find(node->get_friendly_name()).has_value();
    if (ov::is_type<Parameter>(node) || (runs && !inside_.contains(node)))
      return parameter_for(source);
    copy_op(source.get_node_shared_ptr());  // a constant, or computed from constants alone
    return copies_.at(node)->output(source.get_index());
  }

  Output parameter_for(const Output& source) {
    if (const auto known = inputs_.find(source); known != inputs_.end()) return known->second;
    auto parameter =
        std::make_shared<Parameter>(source.get_element_type(), source.get_partial_shape());
    parameter->set_friendly_name(tensor_name(source));
    parameters_.push_back(parameter);
    result_.inputs.push_back(source);
    return inputs_[source] = parameter->output(0);
  }

  // A Result for every output with a consumer outside, in the order of the operators.
  void publish() {
    for (const std::shared_ptr<ov::Node>& op : model_.ov_model()->get_ordered_ops()) {
      if (!inside_.contains(op.get())) continue;
      for (const Output& output : op->outputs()) {
        const auto consumers = output.get_target_inputs();
        if (std::ranges::all_of(consumers,
                                [&](const auto& use) { return inside_.contains(use.get_node()); }))
          continue;
        auto result =
            std::make_shared<ov::op::v0::Result>(copies_.at(op.get())->output(output.get_index()));
        result->set_friendly_name(
            fmt::format("{}:{}/result", op->get_friendly_name(), output.get_index()));
        results_.push_back(result);
        result_.outputs.push_back(output);
      }
    }
  }

  const OpenvinoModel& model_;
  std::unordered_set<const ov::Node*> inside_;
  std::unordered_map<const ov::Node*, std::shared_ptr<ov::Node>> copies_;
  std::map<Output, Output> inputs_;
  ov::ParameterVector parameters_;
  ov::ResultVector results_;
  SubModel result_;
};

// The value of an output that depends on constants alone.
ov::Tensor constant_value(const Output& output) {
  ov::TensorVector inputs;
  for (const Output& value : output.get_node()->input_values())
    inputs.push_back(constant_value(value));
  if (const auto constant = ov::as_type_ptr<ov::op::v0::Constant>(output.get_node_shared_ptr())) {
    ov::Tensor value(constant->get_element_type(), constant->get_shape());
    std::copy_n(static_cast<const char*>(constant->get_data_ptr()), value.get_byte_size(),
                static_cast<char*>(value.data()));
    return value;
  }
  ov::TensorVector values;
  for (const Output& each : output.get_node()->outputs())
    values.emplace_back(each.get_element_type(), each.get_shape());
  if (!output.get_node()->evaluate(values, inputs))
    fail("{}: OpenVINO cannot compute this constant output of the model",
         output.get_node()->get_friendly_name());
  return values[output.get_index()];
}

}  // namespace

std::string tensor_name(const Output& output) {
  const ov::Node& op = *output.get_node();
  return op.get_input_size() == 0
             ? op.get_friendly_name()
             : fmt::format("{}:{}", op.get_friendly_name(), output.get_index());
}

SubModel cut_out(const OpenvinoModel& model, std::span<const NodeId> nodes) {
  const std::shared_ptr<ov::Model>& whole = model.ov_model();
  if (!whole->get_sinks().empty()) {
    if (nodes.size() != model.graph().node_count())
      fail("{}: keeps state between requests, so it runs only whole, on one device", model.name());
    SubModel all{whole, {}, {}};
    for (const auto& parameter : whole->get_parameters())
      all.inputs.push_back(parameter->output(0));
    for (const auto& result : whole->get_results()) all.outputs.push_back(result->input_value(0));
    return all;
  }
  return explain_refusal(model.name() + ": cannot be cut",
                         [&] { return Cutter(model, nodes).cut(); });
}

Wiring wire(const OpenvinoModel& model, std::span<const SubModel* const> pieces) {
  std::map<Output, TensorSource> made_by;
  const ov::ParameterVector& parameters = model.ov_model()->get_parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    made_by[parameters[i]->output(0)] = {.kind = TensorSource::Kind::kModelInput, .port = i};
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t i = 0; i < pieces[p]->outputs.size(); ++i)
      made_by[pieces[p]->outputs[i]] = {.kind = TensorSource::Kind::kPiece, .piece = p, .port = i};

  Wiring wiring;
  for (const SubModel* piece : pieces) {
    std::vector<TensorSource>& sources = wiring.inputs.emplace_back();
    for (const Output& input : piece->inputs) sources.push_back(made_by.at(input));
  }
  for (const auto& result : model.ov_model()->get_results()) {
    const Output source = result->input_value(0);
    const auto known = made_by.find(source);
    wiring.outputs.push_back(known != made_by.end()
                                 ? known->second
                                 : TensorSource{.kind = TensorSource::Kind::kConstant,
                                                .constant = constant_value(source)});
  }
  return wiring;
}

Pieces pieces_of(const Graph& graph, const Placement& placement, ExecutorKind kind) {
  const auto& device_of = placement.device_of.items();
  return kind == ExecutorKind::kPipeline ? subgraph_pieces(graph, device_of)
                                         : eager_pieces(graph, device_of);
}

std::vector<std::vector<NodeId>> members_of(const Pieces& pieces) {
  std::vector<std::vector<NodeId>> members(pieces.count());
  for (const NodeId node : pieces.piece_of.ids()) members[pieces.piece_of[node]].push_back(node);
  return members;
}

}  // namespace berth
