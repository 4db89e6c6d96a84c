#include "berth/runtime/openvino/kernels.h"

#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/op/constant.hpp>

namespace berth {
namespace {

// Constants up to this size are parameters of the operator rather than weights.
constexpr std::size_t kSmallConstant = 32;

class AttributeText final : public ov::AttributeVisitor {
 public:
  std::string text;

  using Name = const std::string&;
  template <class Value>
  using Attribute = ov::ValueAccessor<Value>&;
  template <class Item>
  using List = std::vector<Item>;

  // Attributes of other kinds (variables, bodies of loops) only by their name.
  void on_adapter(Name name, Attribute<void>) override { add(name, "?"); }
  void on_adapter(Name name, Attribute<std::string> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<bool> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<std::int64_t> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<std::uint64_t> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<double> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<float> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<List<std::int64_t>> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<List<std::uint64_t>> a) override { add(name, a.get()); }
  void on_adapter(Name name, Attribute<List<std::string>> a) override { add(name, a.get()); }

 private:
  template <class Value>
  void add(Name name, const Value& value) {
    text += fmt::format("{}={};", name, value);
  }
  template <class Item>
  void add(Name name, const List<Item>& items) {
    add(name, fmt::format("{}", fmt::join(items, ",")));
  }
};

template <class Output>
std::string tensor_text(const Output& output) {
  std::ostringstream text;
  text << output.get_element_type() << output.get_partial_shape();
  return text.str();
}

std::string constant_text(const ov::Node& node) {
  const auto* constant = ov::as_type<const ov::op::v0::Constant>(&node);
  if (constant == nullptr) return "";
  const bool small = ov::shape_size(constant->get_shape()) <= kSmallConstant;
  if (!small || !constant->get_element_type().is_integral_number()) return "=constant";
  return fmt::format("={}", fmt::join(constant->cast_vector<std::int64_t>(), ","));
}

std::string info(const ov::Node& op, const char* key) {
  const auto found = op.get_rt_info().find(key);
  return found == op.get_rt_info().end() ? "" : found->second.as<std::string>();
}

// The list is separated by commas, which names may contain too: the longest name that is known
// wins.
std::vector<NodeId> original_nodes(const OpenvinoModel& model, std::string_view list) {
  std::set<NodeId> nodes;
  while (!list.empty()) {
    std::size_t end = list.size();
    std::optional<NodeId> node = model.find(std::string(list));
    while (!node && end != std::string_view::npos && end > 0) {
      end = list.rfind(',', end - 1);
      if (end != std::string_view::npos) node = model.find(std::string(list.substr(0, end)));
    }
    if (node)
      nodes.insert(*node);
    else  // not a node of the graph: skip one name
      end = list.find(',');
    list.remove_prefix(end == std::string_view::npos ? list.size()
                                                     : std::min(end + 1, list.size()));
  }
  return {nodes.begin(), nodes.end()};
}

std::string signature_of(const OpenvinoModel& model, const ov::Node& kernel,
                         const std::vector<NodeId>& nodes) {
  std::string text;
  for (const NodeId node : nodes) text += op_signature(*model.op(node)) + "+";
  if (!text.empty()) return text;
  std::string shapes;
  for (const auto& output : kernel.outputs()) shapes += tensor_text(output);
  return fmt::format("{}({} {} {})", info(kernel, "layerType"), info(kernel, "outputLayouts"),
                     info(kernel, "outputPrecisions"), shapes);
}

}  // namespace

std::string op_signature(const ov::Node& op) {
  AttributeText attributes;
  // Visiting is not const because a visitor may also set attributes; this one only reads.
  const_cast<ov::Node&>(op).visit_attributes(attributes);
  std::string text =
      fmt::format("{}-{}({}", op.get_type_info().name,
                  op.get_type_info().version_id == nullptr ? "" : op.get_type_info().version_id,
                  attributes.text);
  for (const ov::Input<const ov::Node>& input : op.inputs())
    text += fmt::format(" {}{}", tensor_text(input.get_source_output()),
                        constant_text(*input.get_source_output().get_node()));
  text += " ->";
  for (const ov::Output<const ov::Node>& output : op.outputs())
    text += fmt::format(" {}", tensor_text(output));
  return text + ")";
}

std::vector<Kernel> kernels_of(const OpenvinoModel& model, const ov::CompiledModel& compiled) {
  const std::shared_ptr<const ov::Model> runtime = compiled.get_runtime_model();
  const std::vector<std::shared_ptr<ov::Node>> order = runtime->get_ordered_ops();
  std::unordered_map<const ov::Node*, std::size_t> position;
  std::vector<Kernel> kernels;
  for (const auto& op : order) {
    position[op.get()] = kernels.size();
    std::vector<NodeId> nodes = original_nodes(model, info(*op, "originalLayersNames"));
    std::string signature = signature_of(model, *op, nodes);
    const auto itself = nodes.empty() ? std::nullopt : std::optional(kernels.size());
    kernels.push_back({op->get_friendly_name(), std::move(signature), std::move(nodes), itself});
  }

  const auto charge_like = [&](Kernel& kernel, const ov::Node* neighbour) {
    if (!kernel.charged_to) kernel.charged_to = kernels[position.at(neighbour)].charged_to;
  };
  for (std::size_t i = kernels.size(); i-- > 0;)  // consumers come later in the order
    for (const auto& output : order[i]->outputs())
      for (const auto& use : output.get_target_inputs()) charge_like(kernels[i], use.get_node());
  for (std::size_t i = 0; i < kernels.size(); ++i)  // producers earlier
    for (const auto& value : order[i]->input_values()) charge_like(kernels[i], value.get_node());
  return kernels;
}

}  // namespace berth
