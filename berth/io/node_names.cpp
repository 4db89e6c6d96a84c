#include "berth/io/node_names.h"

namespace berth {

NodeNames::NodeNames(const Graph& graph) : node_count_(graph.node_count()) {
  by_name_.reserve(node_count_);
  for (const NodeId node : graph.nodes()) {
    by_name_.emplace(graph.node(node).name, node);
    if (!graph.node(node).alias.empty()) by_alias_.emplace(graph.node(node).alias, node);
  }
}

std::optional<NodeId> NodeNames::found(const Map& map, std::string_view word) {
  const auto at = map.find(word);
  return at == map.end() ? std::nullopt : std::optional(at->second);
}

NodeId NodeNames::at(const JsonValue& value) const {
  if (value.is_number() && node_count_ > 0)
    return static_cast<NodeId>(
        value.integer_between(0, static_cast<std::int64_t>(node_count_) - 1));
  if (value.is_string())
    if (const auto node = by_name(value.text())) return *node;
  value.expected("the name of a node");
}

std::int64_t NodeNumbers::add(const JsonValue& value) {
  const std::int64_t number = value.integer();
  if (!by_number_.emplace(number, static_cast<NodeId>(by_number_.size())).second)
    value.fail("{} is the id of an earlier node too, expected unique ids", number);
  return number;
}

NodeId NodeNumbers::at(const JsonValue& value) const {
  const auto found = by_number_.find(value.integer());
  if (found == by_number_.end()) value.expected("the id of a node");
  return found->second;
}

std::int32_t group_at(const JsonValue& value) {
  return static_cast<std::int32_t>(
      value.integer_between(0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace berth
