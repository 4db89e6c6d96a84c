// Nodes as files name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "berth/graph/graph.h"
#include "berth/io/json_value.h"

namespace berth {

// Looks nodes up by name or by alias. Borrows the names: the graph must live as long.
class NodeNames {
 public:
  explicit NodeNames(const Graph& graph);

  std::optional<NodeId> by_name(std::string_view name) const;
  std::optional<NodeId> by_alias(std::string_view alias) const;
  // A node in a file: its name, or its position as a number. Throws Error at the value.
  NodeId at(const JsonValue& value) const;

 private:
  std::size_t node_count_;
  std::unordered_map<std::string_view, NodeId> by_name_, by_alias_;
};

// Nodes of a foreign file, which numbers them as it likes.
class NodeNumbers {
 public:
  // The number of the next node. Throws Error when an earlier node has it.
  std::int64_t add(const JsonValue& value);
  // Throws Error when no node has this number.
  NodeId at(const JsonValue& value) const;

 private:
  std::unordered_map<std::int64_t, NodeId> by_number_;
};

// A co-location group in a file.
std::int32_t group_at(const JsonValue& value);

}  // namespace berth
