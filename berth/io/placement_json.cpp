#include "berth/io/placement_json.h"

#include "berth/io/devices_json.h"
#include "berth/io/files.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

class PlacementReader {
 public:
  explicit PlacementReader(const Problem& problem)
      : problem_(problem), names_(problem.graph()), device_of_(problem.node_count()) {}

  // {"node": "device"}
  void read_map(const JsonValue& map) {
    map.each_member([&](std::string_view name, const JsonValue& device) {
      set(device, by_name_or_alias(device, name), device_at(device, problem_.cluster()));
    });
  }

  // {"cpus": [{"nodes": [ids]}], "fpgas": [...]}
  void read_split(const JsonValue& split) {
    split.fields_among_others(
        optional("cpus", [&](const JsonValue& v) { read_groups(v, true); }),
        optional("fpgas", [&](const JsonValue& v) { read_groups(v, false); }));
    follow_units();
  }

  void read_order(const JsonValue& order) {
    std::vector<char> seen(problem_.node_count(), 0);
    order.each([&](const JsonValue& entry) {
      const NodeId node = by_name_or_alias(entry, entry.text());
      if (seen[index(node)]++) entry.fail("is in the order twice, expected once");
      order_.push_back(node);
    });
    if (order_.size() != problem_.node_count())
      order.fail("has {} nodes, expected all {} of the problem", order_.size(),
                 problem_.node_count());
  }

  // {"device": "the device it repeats"}
  void read_replicas(const JsonValue& map) {
    map.each_member([&](std::string_view name, const JsonValue& of) {
      const std::optional<DeviceId> device = problem_.cluster().find(std::string(name));
      if (!device) of.fail("{} is not a device", in_quotes(name));
      replicas_.push_back({*device, device_at(of, problem_.cluster())});
    });
    std::ranges::sort(replicas_, {}, &Replica::device);
  }

  Placement placement(const std::string& file) {
    Placement placement{.order = std::move(order_), .replicas = std::move(replicas_)};
    placement.device_of.reserve(problem_.node_count());
    std::vector<NodeId> missing;
    for (const NodeId node : problem_.graph().nodes()) {
      if (!device_of_[node]) missing.push_back(node);
      placement.device_of.push_back(device_of_[node].value_or(DeviceId{0}));
    }
    if (missing.empty()) return placement;
    fail("{}: {} of {} nodes have no device, the first is {}, expected one for each", file,
         missing.size(), problem_.node_count(), in_quotes(problem_.node_name(missing.front())));
  }

 private:
  NodeId by_name_or_alias(const JsonValue& where, std::string_view name) const {
    std::optional<NodeId> node = names_.by_name(name);
    if (!node) node = names_.by_alias(name);
    if (!node) where.fail("{} is not a node of {}", in_quotes(name), in_quotes(problem_.name()));
    return *node;
  }

  NodeId by_id(const JsonValue& value) const {
    const std::string id =
        value.is_string() ? std::string(value.text()) : std::to_string(value.integer());
    std::optional<NodeId> node = names_.by_alias(id);
    if (!node) node = names_.by_name(id);
    if (!node) value.expected("the id of a node of {}", in_quotes(problem_.name()));
    return *node;
  }

  void set(const JsonValue& where, NodeId node, DeviceId device) {
    if (device_of_[node])
      where.fail("node {} is given twice, expected one device per node",
                 in_quotes(problem_.node_name(node)));
    device_of_[node] = device;
  }

  // The i-th group belongs to the i-th CPU, or to the i-th device that is none.
  void read_groups(const JsonValue& groups, bool on_cpus) {
    std::vector<DeviceId> devices;
    for (const DeviceId d : problem_.devices())
      if (problem_.cluster().device(d).is_host() == on_cpus) devices.push_back(d);
    groups.each([&](const JsonValue& group) {
      const std::size_t at = group.position();
      group.fields_among_others(required("nodes", [&](const JsonValue& nodes) {
        nodes.each([&](const JsonValue& id) {
          if (at >= devices.size())
            group.fail("is group {} with nodes, but the problem has {} {}", at + 1, devices.size(),
                       on_cpus ? "CPUs" : "accelerators");
          set(id, by_id(id), devices[at]);
        });
      }));
    });
  }

  // What is not listed goes where the nodes are that it must share a device with.
  void follow_units() {
    for (const UnitId unit : problem_.units()) {
      std::optional<DeviceId> device;
      for (const NodeId node : problem_.members(unit))
        if (!device) device = device_of_[node];
      for (const NodeId node : problem_.members(unit))
        if (!device_of_[node]) device_of_[node] = device;
    }
  }

  const Problem& problem_;
  NodeNames names_;
  IdVector<NodeId, std::optional<DeviceId>> device_of_;
  std::vector<NodeId> order_;
  std::vector<Replica> replicas_;
};

// A node may be called "placement" or "cpus"; then its device is a string.
bool has_structure(const JsonValue& root, std::string_view field) {
  bool found = false;
  root.each_member([&](std::string_view key, const JsonValue& value) {
    found = found || (key == field && !value.is_string());
  });
  return found;
}

}  // namespace

Placement parse_placement(std::string_view text, const std::string& file, const Problem& problem) {
  const JsonDocument document(text, file);
  const JsonValue root = document.root();
  PlacementReader reader(problem);
  if (has_structure(root, "placement")) {
    root.fields_among_others(
        required("placement",
                 [&](const JsonValue& v) {
                   if (v.is_null())
                     v.expected("a placement: the run that wrote this file found none");
                   reader.read_map(v);
                 }),
        optional("order", unless_null([&](const JsonValue& v) { reader.read_order(v); })),
        optional("replicas", [&](const JsonValue& v) { reader.read_replicas(v); }));
  } else if (has_structure(root, "cpus") || has_structure(root, "fpgas")) {
    reader.read_split(root);
  } else {
    reader.read_map(root);
  }
  return reader.placement(file);
}

Placement read_placement(const std::filesystem::path& path, const Problem& problem) {
  return parse_placement(read_text_file(path), path.string(), problem);
}

}  // namespace berth
