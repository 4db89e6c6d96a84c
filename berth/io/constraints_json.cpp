#include "berth/io/constraints_json.h"

#include "berth/io/devices_json.h"
#include "berth/io/files.h"
#include "berth/io/json_writer.h"
#include "berth/io/name_pattern.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

// Pins of many rules on many nodes multiply; this many are never meant.
constexpr std::size_t kMostEntries = std::size_t{1} << 26;

class ConstraintReader {
 public:
  ConstraintReader(const Graph& graph, const Cluster& cluster)
      : graph_(graph), cluster_(cluster), names_(graph) {}

  void node_devices(const JsonValue& rules, std::vector<Constraints::NodeDevice>& out) const {
    rules.each([&](const JsonValue& rule) {
      std::vector<NodeId> nodes;
      DeviceId device{};
      rule.fields(required("nodes", [&](const JsonValue& v) { nodes = nodes_at(v); }),
                  required("device", [&](const JsonValue& v) { device = device_at(v, cluster_); }));
      check_size(rule, out.size() + nodes.size());
      for (const NodeId node : nodes) out.push_back({node, device});
    });
  }

  void node_sets(const JsonValue& sets, std::vector<std::vector<NodeId>>& out) const {
    std::size_t total = 0;
    sets.each([&](const JsonValue& set) {
      out.push_back(nodes_at(set));
      check_size(set, total += out.back().size());
    });
  }

 private:
  static void check_size(const JsonValue& where, std::size_t entries) {
    if (entries > kMostEntries)
      where.fail("names too many nodes in all, expected at most {}", kMostEntries);
  }

  std::vector<NodeId> nodes_at(const JsonValue& value) const {
    std::vector<NodeId> nodes;
    if (value.is_array()) {
      value.each([&](const JsonValue& node) { nodes.push_back(names_.at(node)); });
      if (nodes.empty()) value.fail("is empty, expected at least one node");
      return nodes;
    }
    if (!value.is_string()) value.expected("a pattern or a list of node names");
    const NamePattern pattern = pattern_at(value);
    for (const NodeId node : graph_.nodes())
      if (pattern.matches(graph_.node(node).name)) nodes.push_back(node);
    if (nodes.empty())
      value.fail("the pattern {} matches no node, expected at least one of {}",
                 in_quotes(value.text()), graph_.node_count());
    return nodes;
  }

  static NamePattern pattern_at(const JsonValue& value) {
    try {
      return NamePattern(value.text());
    } catch (const Error& error) {
      value.fail("{}", error.what());
    }
  }

  const Graph& graph_;
  const Cluster& cluster_;
  NodeNames names_;
};

}  // namespace

Constraints constraints_from(const JsonValue& value, const Graph& graph, const Cluster& cluster) {
  const ConstraintReader reader(graph, cluster);
  Constraints constraints;
  value.fields(
      optional("berth_constraints", [](const JsonValue& v) { v.integer_between(1, 1); }),
      optional("comment", [](const JsonValue&) {}),
      optional("pin", [&](const JsonValue& v) { reader.node_devices(v, constraints.pin); }),
      optional("forbid", [&](const JsonValue& v) { reader.node_devices(v, constraints.forbid); }),
      optional("together", [&](const JsonValue& v) { reader.node_sets(v, constraints.together); }),
      optional("apart", [&](const JsonValue& v) {
        reader.node_sets(v, constraints.apart);
        for (const std::vector<NodeId>& set : constraints.apart)
          if (set.size() > cluster.device_count())
            v.fail("{} nodes must be apart from each other, but there are {} devices", set.size(),
                   cluster.device_count());
      }));
  return constraints;
}

void write_constraints(JsonWriter& json, const Constraints& constraints, const Cluster& cluster) {
  // Neighbours with one device share a rule, so that the order is kept.
  const auto write_rules = [&](const char* name,
                               const std::vector<Constraints::NodeDevice>& rules) {
    if (rules.empty()) return;
    json.array(name, [&] {
      for (std::size_t i = 0; i < rules.size();)
        json.object([&] {
          const DeviceId device = rules[i].device;
          json.array("nodes", [&] {
            for (; i < rules.size() && rules[i].device == device; ++i) json.value(rules[i].node);
          });
          json.member("device", cluster.device(device).name);
        });
    });
  };
  const auto write_sets = [&](const char* name, std::vector<std::vector<NodeId>> sets) {
    if (sets.empty()) return;
    std::erase_if(sets, [](const auto& set) { return set.empty(); });  // such a one says nothing
    json.member(name, sets);
  };
  write_rules("pin", constraints.pin);
  write_rules("forbid", constraints.forbid);
  write_sets("together", constraints.together);
  write_sets("apart", constraints.apart);
}

Constraints parse_constraints(std::string_view text, const std::string& file, const Graph& graph,
                              const Cluster& cluster) {
  const JsonDocument document(text, file);
  return constraints_from(document.root(), graph, cluster);
}

Constraints read_constraints(const std::filesystem::path& path, const Graph& graph,
                             const Cluster& cluster) {
  return parse_constraints(read_text_file(path), path.string(), graph, cluster);
}

}  // namespace berth
