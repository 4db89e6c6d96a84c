// Nodes and devices as files name them.
#pragma once

#include <unordered_map>

#include "berth/graph/graph.h"
#include "berth/io/json_value.h"

namespace berth {

// Looks nodes up by name or by alias. Borrows the names: the graph must live as long.
class NodeNames {
 public:
  explicit NodeNames(const Graph& graph);

  std::optional<NodeId> by_name(std::string_view name) const { return found(by_name_, name); }
  std::optional<NodeId> by_alias(std::string_view alias) const { return found(by_alias_, alias); }
  // A node in a file: its name, or its position as a number. Throws Error at the value.
  NodeId at(const JsonValue& value) const;

 private:
  using Map = std::unordered_map<std::string_view, NodeId>;
  static std::optional<NodeId> found(const Map& map, std::string_view word);

  std::size_t node_count_;
  Map by_name_, by_alias_;
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

// Calls read(device, entry) for each entry of a list; another length than `devices` is an Error.
template <class Read>
void each_device(const JsonValue& list, std::size_t devices, Read&& read) {
  list.check_size(devices, "one per device");
  list.each([&](const JsonValue& entry) { read(static_cast<DeviceId>(entry.position()), entry); });
}

// Calls read(from, to, entry) for each entry of a matrix [from][to], the diagonal included.
template <class Read>
void each_pair(const JsonValue& matrix, std::size_t devices, Read&& read) {
  each_device(matrix, devices, [&](DeviceId from, const JsonValue& row) {
    each_device(row, devices, [&](DeviceId to, const JsonValue& entry) { read(from, to, entry); });
  });
}

// A co-location group in a file.
std::int32_t group_at(const JsonValue& value);

}  // namespace berth
