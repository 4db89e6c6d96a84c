#include "berth/place/load/load_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "berth/graph/order.h"
#include "berth/sim/pieces.h"

namespace berth {
namespace {

constexpr double kNoWork = 1e-3;  // microseconds: shorter times count as none (1e-6 ms)

using Class = std::uint32_t;         // a set of problem units that became one unit
using Classes = std::vector<Class>;  // by problem unit

struct Order {  // forward order between classes, as sets of direct neighbours
  std::vector<std::set<Class>> before, after;
  explicit Order(std::size_t count) : before(count), after(count) {}
  void add(Class from, Class to) {
    if (from == to) return;
    after[from].insert(to);
    before[to].insert(from);
  }
};

Order forward_order(const Problem& problem) {
  Order order(problem.unit_count());
  for (const auto& [from, to] : pipeline_order(problem))
    order.add(static_cast<Class>(from), static_cast<Class>(to));
  return order;
}

// Joins classes: `target` of each old class, renumbered densely. Neighbours follow.
Order contract(const Order& order, const Classes& target, std::size_t count) {
  Order result(count);
  for (Class from = 0; from < order.after.size(); ++from)
    for (const Class to : order.after[from]) result.add(target[from], target[to]);
  return result;
}

void relabel(Classes& class_of, const Classes& target) {
  for (Class& at : class_of) at = target[at];
}

// No chain of ideals separates the units of a cycle: they become one.
void fuse_cycles(Classes& class_of, Order& order) {
  std::vector<std::vector<std::uint32_t>> successors;
  for (const std::set<Class>& after : order.after)
    successors.emplace_back(after.begin(), after.end());
  const Classes component = strongly_connected_components(successors);
  const std::size_t count =
      component.empty() ? 0
                        : *std::max_element(component.begin(), component.end()) + std::size_t{1};
  if (count == order.after.size()) return;
  order = contract(order, component, count);
  relabel(class_of, component);
}

// What a class may use and whether it has work, for the trivial merge.
struct ClassFacts {
  bool idle = true;            // no time worth mentioning, forward or backward, on any device
  std::set<Class> neighbours;  // by any edge, forward or backward
  std::int64_t bytes = 0;
  std::vector<bool> allowed;
};

std::vector<ClassFacts> facts_of(const Problem& problem, const Classes& class_of,
                                 std::size_t count) {
  const Graph& graph = problem.graph();
  std::vector<ClassFacts> facts(count);
  for (ClassFacts& fact : facts) fact.allowed.assign(problem.device_count(), true);
  for (const UnitId unit : problem.units()) {
    ClassFacts& fact = facts[class_of[index(unit)]];
    for (const DeviceId device : problem.devices())
      if (!problem.unit_allows(unit, device)) fact.allowed[index(device)] = false;
    for (const NodeId node : problem.members(unit)) {
      fact.bytes += graph.node(node).weights.count + graph.node(node).workspace.count;
      for (const double time : problem.time_row(node))
        if (std::isfinite(time) && time >= kNoWork) fact.idle = false;
      for (const auto& side : {graph.successors(node), graph.predecessors(node)})
        for (const NodeId other : side)
          if (class_of[index(problem.unit_of(other))] != class_of[index(unit)])
            fact.neighbours.insert(class_of[index(problem.unit_of(other))]);
    }
  }
  return facts;
}

bool memory_binds(const Problem& problem) {
  std::int64_t total = 0;
  for (const NodeId node : problem.graph().nodes())
    total += problem.graph().node(node).weights.count + problem.graph().node(node).workspace.count;
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    if (limit && limit->count < total) return true;
  }
  return false;
}

// A class without work and with a single neighbour, in the order and by any edge, joins it, to a
// fixed point: inputs and weights that hang on one consumer. Nothing is lost: elsewhere it could
// only cut a net that otherwise stays whole.
// Says of every problem unit whether it joined another.
std::vector<bool> merge_trivial(const Problem& problem, IdleBytes idle_bytes, Classes& class_of,
                                Order& order) {
  const std::size_t count = order.after.size();
  std::vector<ClassFacts> facts = facts_of(problem, class_of, count);
  const bool bytes_matter = idle_bytes == IdleBytes::kKeepApart && memory_binds(problem);
  std::vector<bool> is_apart(count, false);
  for (const std::vector<UnitId>& set : problem.apart())
    for (const UnitId unit : set) is_apart[class_of[index(unit)]] = true;
  Classes target(count);
  std::iota(target.begin(), target.end(), Class{0});
  std::queue<Class> candidates;
  for (Class c = 0; c < count; ++c) candidates.push(c);
  while (!candidates.empty()) {
    const Class c = candidates.front();
    candidates.pop();
    const ClassFacts& fact = facts[c];
    if (target[c] != c || !fact.idle || fact.neighbours.size() > 1 || is_apart[c]) continue;
    if (bytes_matter && fact.bytes > 0) continue;
    if (order.before[c].size() + order.after[c].size() != 1) continue;
    const Class host = order.before[c].empty() ? *order.after[c].begin() : *order.before[c].begin();
    if (facts[host].allowed != fact.allowed || !fact.neighbours.contains(host)) continue;
    target[c] = host;
    facts[host].neighbours.erase(c);
    facts[host].bytes += fact.bytes;
    order.before[host].erase(c);
    order.after[host].erase(c);
    order.before[c].clear();
    order.after[c].clear();
    candidates.push(host);
  }
  const auto root = [&](Class c) {
    while (target[c] != c) c = target[c];
    return c;
  };
  Classes dense(count, 0);
  Class next = 0;
  for (Class c = 0; c < count; ++c)
    if (target[c] == c) dense[c] = next++;
  Classes final_class(count);
  for (Class c = 0; c < count; ++c) final_class[c] = dense[root(c)];
  Order merged(next);
  for (Class from = 0; from < count; ++from)
    for (const Class to : order.after[from]) merged.add(final_class[from], final_class[to]);
  order = std::move(merged);
  std::vector<bool> joined;
  for (const Class c : class_of) joined.push_back(target[c] != c);
  relabel(class_of, final_class);
  return joined;
}

// Numbers the classes in a topological order (or as they are, without one).
Classes topological_numbers(const Order& order) {
  const std::size_t count = order.after.size();
  std::vector<std::size_t> missing(count);
  std::priority_queue<Class, std::vector<Class>, std::greater<>> ready;
  for (Class c = 0; c < count; ++c)
    if ((missing[c] = order.before[c].size()) == 0) ready.push(c);
  Classes number(count, 0);
  for (Class next = 0; !ready.empty(); ++next) {
    const Class c = ready.top();
    ready.pop();
    number[c] = next;
    for (const Class after : order.after[c])
      if (--missing[after] == 0) ready.push(after);
  }
  return number;
}

// ---- device classes ----

bool interchangeable(const Problem& problem, DeviceId a, DeviceId b) {
  const Device &first = problem.cluster().device(a), &second = problem.cluster().device(b);
  if (first.is_host() != second.is_host() || first.memory != second.memory) return false;
  for (const NodeId node : problem.graph().nodes())
    if (problem.time(node, a) != problem.time(node, b)) return false;
  for (const UnitId unit : problem.units())
    if (problem.unit_allows(unit, a) != problem.unit_allows(unit, b)) return false;
  return true;
}

// What the device pays to read or write the tensor; at least that much in a pipeline over links.
double least_price(const Problem& problem, TensorId tensor, DeviceId device, bool reading) {
  if (problem.model().through_host())
    return (reading ? problem.read_from_host(tensor, device)
                    : problem.write_to_host(tensor, device))
        .count();
  double least = std::numeric_limits<double>::infinity();
  for (const DeviceId other : problem.devices())
    if (other != device)
      least = std::min(least, (reading ? problem.transfer(tensor, other, device)
                                       : problem.transfer(tensor, device, other))
                                  .count());
  return std::isfinite(least) ? least : 0.0;
}

std::vector<DeviceClass> device_classes(const Problem& problem) {
  std::vector<DeviceClass> classes;
  const Graph& graph = problem.graph();
  const auto same_prices = [&](DeviceId a, DeviceId b) {
    for (const TensorId tensor : graph.tensors())
      if (least_price(problem, tensor, a, true) != least_price(problem, tensor, b, true) ||
          least_price(problem, tensor, a, false) != least_price(problem, tensor, b, false))
        return false;
    return true;
  };
  for (const DeviceId device : problem.devices()) {
    const auto known = std::find_if(classes.begin(), classes.end(), [&](const DeviceClass& c) {
      return interchangeable(problem, c.devices.front(), device) &&
             same_prices(c.devices.front(), device);
    });
    if (known != classes.end()) {
      known->devices.push_back(device);
      continue;
    }
    const std::optional<Bytes> memory = problem.cluster().device(device).memory;
    classes.push_back({{device}, memory ? std::optional(memory->count) : std::nullopt, -1});
  }
  int next_price = 0;
  for (DeviceClass& c : classes) {
    const bool host = problem.cluster().device(c.devices.front()).is_host();
    if (problem.model().through_host() && host) continue;
    for (const DeviceClass& earlier : classes) {
      if (&earlier == &c) break;
      if (earlier.price >= 0 && same_prices(earlier.devices.front(), c.devices.front()))
        c.price = earlier.price;
    }
    if (c.price < 0) c.price = next_price++;
  }
  std::stable_sort(classes.begin(), classes.end(), [](const DeviceClass& a, const DeviceClass& b) {
    return std::pair(a.price < 0, b.count()) < std::pair(b.price < 0, a.count());
  });
  return classes;
}

// ---- servers ----

void add_servers(const Problem& problem, LoadModel& model) {
  const Servers servers = problem.cluster().servers();
  model.servers.assign(servers.count(), std::vector<std::vector<DeviceId>>(model.classes.size()));
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    for (const DeviceId device : model.classes[c].devices)
      model.servers[servers.of[device]][c].push_back(device);
  for (std::uint32_t s = 0; s < servers.count(); ++s) {
    std::vector<std::size_t> devices;
    for (const std::vector<DeviceId>& of_class : model.servers[s])
      devices.push_back(of_class.size());
    const auto known =
        std::find_if(model.server_kinds.begin(), model.server_kinds.end(),
                     [&](const LoadModel::ServerKind& kind) { return kind.devices == devices; });
    if (known != model.server_kinds.end())
      known->servers.push_back(s);
    else
      model.server_kinds.push_back({std::move(devices), {s}});
  }
  model.network_price = model.prices++;
}

// ---- units and nets ----

// Whether the device needs the node's workspace for certain. Calls reserve the largest; elsewhere
// it lives while the node runs, and a node that takes no time has none (sim/memory.h).
bool needs_workspace(const Problem& problem, NodeId node) {
  const std::span<const double> times = problem.time_row(node);
  return problem.model().through_host() ||
         std::all_of(times.begin(), times.end(), [](double micros) { return micros > 0; });
}

void add_units(const Problem& problem, const Classes& class_of, std::size_t count,
               const std::vector<bool>& without_bytes, LoadModel& model) {
  model.units.resize(count);
  for (LoadModel::Unit& unit : model.units) unit.time.assign(model.classes.size(), {0.0, 0.0});
  for (const UnitId id : problem.units()) {
    LoadModel::Unit& unit = model.units[class_of[index(id)]];
    for (const NodeId node : problem.members(id)) {
      const Node& facts = problem.graph().node(node);
      unit.nodes.push_back(node);
      if (!without_bytes[index(id)]) {
        unit.bytes += facts.weights.count;
        if (needs_workspace(problem, node))
          unit.workspace = std::max(unit.workspace, facts.workspace.count);
      }
      const std::size_t half = model.halves_apart && facts.pass == Pass::kBackward ? 1 : 0;
      for (std::size_t c = 0; c < model.classes.size(); ++c)
        unit.time[c][half] += problem.time(node, model.classes[c].devices.front()).count();
    }
    for (std::size_t c = 0; c < model.classes.size(); ++c)
      if (!problem.unit_allows(id, model.classes[c].devices.front()))
        unit.time[c][0] = kForever.count();
  }
  model.apart_sets = problem.apart().size();
  for (std::uint32_t set = 0; set < problem.apart().size(); ++set)
    for (const UnitId id : problem.apart()[set])
      model.units[class_of[index(id)]].apart.push_back(set);
}

void add_nets(const Problem& problem, const Classes& class_of, LoadModel& model) {
  const Graph& graph = problem.graph();
  std::vector<DeviceId> payer(model.prices - (model.servers.empty() ? 0 : 1));
  for (const DeviceClass& c : model.classes)
    if (c.price >= 0) payer[static_cast<std::size_t>(c.price)] = c.devices.front();
  std::map<std::tuple<std::vector<std::uint32_t>, std::uint32_t, std::uint8_t>, std::size_t> known;
  for (const TensorId tensor : graph.tensors()) {
    LoadModel::Net net;
    net.producer = class_of[index(problem.unit_of(graph.producer(tensor)))];
    net.pins.push_back(net.producer);
    for (const NodeId consumer : graph.consumers(tensor))
      net.pins.push_back(class_of[index(problem.unit_of(consumer))]);
    std::sort(net.pins.begin(), net.pins.end());
    net.pins.erase(std::unique(net.pins.begin(), net.pins.end()), net.pins.end());
    if (net.pins.size() < 2) continue;
    net.half = model.halves_apart && graph.node(graph.producer(tensor)).pass == Pass::kBackward;
    double weight = 0;
    bool even = true;  // reading costs what writing does
    for (const DeviceId device : payer) {
      net.read.push_back(least_price(problem, tensor, device, true));
      net.write.push_back(least_price(problem, tensor, device, false));
      weight += net.read.back() + net.write.back();
      even = even && net.read.back() == net.write.back();
    }
    if (!model.servers.empty()) {
      net.read.push_back(problem.over_network(tensor).count());
      net.write.push_back(net.read.back());
      weight += net.read.back();
    }
    if (weight <= 0) continue;
    // With even prices and no need to tell reads from writes, the producer does not matter.
    const bool any_producer = even && model.overlap != Overlap::kDuplex;
    if (any_producer) net.producer = net.pins.front();
    const auto [at, fresh] =
        known.try_emplace({net.pins, net.producer, net.half}, model.nets.size());
    if (fresh) {
      model.nets.push_back(std::move(net));
      continue;
    }
    LoadModel::Net& same = model.nets[at->second];
    for (std::size_t p = 0; p < model.prices; ++p) {
      same.read[p] += net.read[p];
      same.write[p] += net.write[p];
    }
  }
  for (std::uint32_t n = 0; n < model.nets.size(); ++n)
    for (const std::uint32_t pin : model.nets[n].pins) model.units[pin].nets.push_back(n);
}

}  // namespace

std::optional<std::string> why_no_load(const Problem& problem) {
  if (problem.objective() != Objective::kThroughput)
    return "the method minimises the largest load and needs the objective throughput";
  if (problem.as<Sequential>())
    return "sequential execution has no loads to balance: sequential-cut is the exact method for "
           "it";
  if (problem.as<InPieces>())
    return "the method does not know what pieces cost: use --execution pipeline, or a search";
  return std::nullopt;
}

LoadModel load_model(const Problem& problem, const LoadModelOptions& options) {
  assert(!why_no_load(problem));
  LoadModel model;
  model.classes = device_classes(problem);
  for (const DeviceClass& c : model.classes)
    model.prices = std::max(model.prices, static_cast<std::size_t>(c.price + 1));
  model.overlap = problem.as<MaxLoad>()->overlap;
  model.halves_apart = problem.is_training() && problem.model().halves_apart();
  const bool with_servers = options.servers && options.ordered && problem.counts_network();
  if (with_servers) add_servers(problem, model);
  model.exact = problem.model().through_host() && with_servers == problem.counts_network();

  Classes class_of(problem.unit_count());
  std::iota(class_of.begin(), class_of.end(), Class{0});
  Order order = options.ordered ? forward_order(problem) : Order(problem.unit_count());
  std::vector<bool> joined(problem.unit_count(), false);
  if (options.ordered) {
    fuse_cycles(class_of, order);
    if (options.merge_trivial) joined = merge_trivial(problem, options.idle_bytes, class_of, order);
    const Classes number = topological_numbers(order);
    order = contract(order, number, order.after.size());
    relabel(class_of, number);
  }
  if (options.idle_bytes != IdleBytes::kForget) joined.assign(problem.unit_count(), false);
  add_units(problem, class_of, order.after.size(), joined, model);
  for (std::size_t u = 0; u < model.units.size(); ++u) {
    model.units[u].before.assign(order.before[u].begin(), order.before[u].end());
    model.units[u].after.assign(order.after[u].begin(), order.after[u].end());
  }
  add_nets(problem, class_of, model);
  return model;
}

UnitOrder unit_order(const LoadModel& model) {
  UnitOrder order;
  for (const LoadModel::Unit& unit : model.units) {
    order.before.push_back(unit.before);
    order.after.push_back(unit.after);
  }
  return order;
}

Placement to_placement(const Problem& problem, const LoadModel& model,
                       const std::vector<DeviceId>& device_of_unit) {
  Placement placement{IdVector<NodeId, DeviceId>(problem.node_count()), {}};
  for (std::size_t u = 0; u < model.units.size(); ++u)
    for (const NodeId node : model.units[u].nodes) placement.device_of[node] = device_of_unit[u];
  return placement;
}

std::vector<DeviceId> devices_of_units(const LoadModel& model, const Placement& placement) {
  std::vector<DeviceId> devices;
  for (const LoadModel::Unit& unit : model.units)
    devices.push_back(placement.device_of[unit.nodes.front()]);
  return devices;
}

}  // namespace berth
