#include "berth/runtime/openvino/kernels.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "berth/runtime/openvino/op_signature.h"

namespace berth {
namespace {

std::string info(const ov::Node& op, const char* key) {
  const auto found = op.get_rt_info().find(key);
  return found == op.get_rt_info().end() ? "" : found->second.as<std::string>();
}

// The list is separated by commas, which names may contain too: the longest name that is known
// wins.
std::vector<NodeId> original_nodes(const OpenvinoModel& model, std::string_view list) {
  std::vector<NodeId> nodes;
  while (!list.empty()) {
    std::size_t end = list.size();
    std::optional<NodeId> node = model.find(std::string(list));
    while (!node && end != std::string_view::npos && end > 0) {
      end = list.rfind(',', end - 1);
      if (end != std::string_view::npos) node = model.find(std::string(list.substr(0, end)));
    }
    if (node) {
      nodes.push_back(*node);
    } else {  // not a node of the graph: skip one name
      end = list.find(',');
    }
    list.remove_prefix(end == std::string_view::npos ? list.size()
                                                     : std::min(end + 1, list.size()));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::string signature_of(const OpenvinoModel& model, const ov::Node& kernel,
                         const std::vector<NodeId>& nodes) {
  std::string text;
  for (const NodeId node : nodes) text += op_signature(*model.op(node)) + "+";
  if (!text.empty()) return text;
  std::ostringstream shapes;
  for (const auto& output : kernel.outputs())
    shapes << output.get_element_type() << output.get_partial_shape();
  return fmt::format("{}({} {} {})", info(kernel, "layerType"), info(kernel, "outputLayouts"),
                     info(kernel, "outputPrecisions"), shapes.str());
}

}  // namespace

std::vector<Kernel> kernels_of(const OpenvinoModel& model, const ov::CompiledModel& compiled) {
  const std::shared_ptr<const ov::Model> runtime = compiled.get_runtime_model();
  const std::vector<std::shared_ptr<ov::Node>> order = runtime->get_ordered_ops();
  std::unordered_map<const ov::Node*, std::size_t> position;
  std::vector<Kernel> kernels;
  for (const auto& op : order) {
    position[op.get()] = kernels.size();
    std::vector<NodeId> nodes = original_nodes(model, info(*op, "originalLayersNames"));
    std::string signature = signature_of(model, *op, nodes);
    kernels.push_back({op->get_friendly_name(), std::move(signature), std::move(nodes), {}});
  }

  // Where a kernel without nodes is charged; consumers come later in the order, producers earlier.
  const auto owner = [&](std::size_t i) {
    return kernels[i].nodes.empty() ? kernels[i].charged_to : std::optional(i);
  };
  for (std::size_t i = kernels.size(); i-- > 0;) {
    if (!kernels[i].nodes.empty()) continue;
    for (const auto& output : order[i]->outputs())
      for (const auto& use : output.get_target_inputs())
        if (!kernels[i].charged_to) kernels[i].charged_to = owner(position.at(use.get_node()));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i].nodes.empty() || kernels[i].charged_to) continue;
    for (const auto& input : order[i]->inputs())
      if (!kernels[i].charged_to)
        kernels[i].charged_to = owner(position.at(input.get_source_output().get_node()));
  }
  return kernels;
}

}  // namespace berth
