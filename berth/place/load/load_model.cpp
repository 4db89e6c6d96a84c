#include "berth/place/load/load_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "berth/graph/order.h"
#include "berth/sim/pieces.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr double kNoWork = 1e-3;  // microseconds: shorter times count as none (1e-6 ms)

using Class = std::uint32_t;         // a set of problem units that became one unit
using Classes = std::vector<Class>;  // by problem unit, or by class before a change

// The units so far, and the order between them as sets of direct neighbours.
struct Contraction {
  explicit Contraction(std::size_t units) : class_of(units), before(units), after(units) {
    std::iota(class_of.begin(), class_of.end(), Class{0});
  }
  std::size_t count() const { return after.size(); }
  void add_order(Class from, Class to) {
    if (from == to) return;
    after[from].insert(to);
    before[to].insert(from);
  }
  // Every class becomes `target` of it, one of so many; neighbours follow.
  void renumber(const Classes& target, std::size_t new_count) {
    const std::vector<std::set<Class>> old = std::move(after);
    before.assign(new_count, {});
    after.assign(new_count, {});
    for (Class from = 0; from < old.size(); ++from)
      for (const Class to : old[from]) add_order(target[from], target[to]);
    for (Class& at : class_of) at = target[at];
  }

  Classes class_of;  // of each problem unit
  std::vector<std::set<Class>> before, after;
};

// No chain of ideals separates the units of a cycle: they become one.
void fuse_cycles(Contraction& units) {
  std::vector<std::vector<std::uint32_t>> successors;
  for (const std::set<Class>& after : units.after)
    successors.emplace_back(after.begin(), after.end());
  const Classes component = strongly_connected_components(successors);
  const std::size_t count = std::ranges::max(component) + std::size_t{1};
  if (count < units.count()) units.renumber(component, count);
}

// What a class may use and whether it has work, for the trivial merge.
struct ClassFacts {
  bool idle = true;            // no time worth mentioning, forward or backward, on any device
  bool apart = false;          // in some apart set
  std::set<Class> neighbours;  // by any edge, forward or backward
  std::int64_t bytes = 0;
  std::vector<bool> allowed;
};

std::vector<ClassFacts> facts_of(const Problem& problem, const Contraction& units) {
  const UnitGraph& graph = unit_graph(problem);
  std::vector<ClassFacts> facts(units.count());
  for (ClassFacts& fact : facts) fact.allowed.assign(problem.device_count(), true);
  for (const UnitId unit : problem.units()) {
    const Class own = units.class_of[index(unit)];
    ClassFacts& fact = facts[own];
    fact.bytes += (graph.weights(unit) + graph.workspaces(unit)).count;
    fact.apart = fact.apart || !graph.apart_sets(unit).empty();
    for (const DeviceId device : problem.devices())
      if (!problem.unit_allows(unit, device)) fact.allowed[index(device)] = false;
    for (const NodeId node : problem.members(unit))
      for (const double time : problem.time_row(node))
        if (std::isfinite(time) && time >= kNoWork) fact.idle = false;
    for (const UnitId other : graph.neighbours(unit))
      if (units.class_of[index(other)] != own) fact.neighbours.insert(units.class_of[index(other)]);
  }
  return facts;
}

bool memory_binds(const Problem& problem, const std::vector<ClassFacts>& facts) {
  std::int64_t total = 0;
  for (const ClassFacts& fact : facts) total += fact.bytes;
  return std::ranges::any_of(problem.devices(), [&](DeviceId device) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    return limit && limit->count < total;
  });
}

// A class without work and with a single neighbour, in the order and by any edge, joins it, to a
// fixed point: inputs and weights that hang on one consumer. Nothing is lost: elsewhere it could
// only cut a net that otherwise stays whole. Says of every problem unit whether it joined another.
std::vector<bool> merge_trivial(const Problem& problem, IdleBytes idle_bytes, Contraction& units) {
  const std::size_t count = units.count();
  std::vector<ClassFacts> facts = facts_of(problem, units);
  const bool bytes_matter = idle_bytes == IdleBytes::kKeepApart && memory_binds(problem, facts);
  Classes target(count);
  std::iota(target.begin(), target.end(), Class{0});
  std::queue<Class> candidates;
  for (Class c = 0; c < count; ++c) candidates.push(c);
  while (!candidates.empty()) {
    const Class c = candidates.front();
    candidates.pop();
    const ClassFacts& fact = facts[c];
    std::set<Class>&before = units.before[c], &after = units.after[c];
    if (target[c] != c || !fact.idle || fact.neighbours.size() > 1 || fact.apart) continue;
    if (bytes_matter && fact.bytes > 0) continue;
    if (before.size() + after.size() != 1) continue;
    const Class host = before.empty() ? *after.begin() : *before.begin();
    if (facts[host].allowed != fact.allowed || !fact.neighbours.contains(host)) continue;
    target[c] = host;
    facts[host].neighbours.erase(c);
    facts[host].bytes += fact.bytes;
    units.before[host].erase(c);
    units.after[host].erase(c);
    before.clear();
    after.clear();
    candidates.push(host);
  }
  std::vector<bool> joined;
  for (const Class c : units.class_of) joined.push_back(target[c] != c);
  Classes dense(count, 0), final_class;
  Class next = 0;
  for (Class c = 0; c < count; ++c)
    if (target[c] == c) dense[c] = next++;
  for (Class c = 0; c < count; ++c) {
    Class root = c;
    while (target[root] != root) root = target[root];
    final_class.push_back(dense[root]);
  }
  units.renumber(final_class, next);
  return joined;
}

// Numbers the classes in a topological order.
Classes topological_numbers(const Contraction& units) {
  std::vector<std::size_t> missing(units.count());
  std::priority_queue<Class, std::vector<Class>, std::greater<>> ready;
  for (Class c = 0; c < units.count(); ++c)
    if ((missing[c] = units.before[c].size()) == 0) ready.push(c);
  Classes number(units.count(), 0);
  for (Class next = 0; !ready.empty(); ++next) {
    const Class c = ready.top();
    ready.pop();
    number[c] = next;
    for (const Class after : units.after[c])
      if (--missing[after] == 0) ready.push(after);
  }
  return number;
}

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
        std::ranges::find(model.server_kinds, devices, &LoadModel::ServerKind::devices);
    if (known != model.server_kinds.end())
      known->servers.push_back(s);
    else
      model.server_kinds.push_back({std::move(devices), {s}});
  }
  model.network_price = model.prices++;
}

// Whether the device needs the node's workspace for certain. Calls reserve the largest; elsewhere
// it lives while the node runs, and a node that takes no time has none (sim/memory.h).
bool needs_workspace(const Problem& problem, NodeId node) {
  return problem.model().through_host() ||
         std::ranges::all_of(problem.time_row(node), [](double micros) { return micros > 0; });
}

void add_units(const Problem& problem, const Contraction& units,
               const std::vector<bool>& without_bytes, LoadModel& model) {
  for (Class c = 0; c < units.count(); ++c) {
    LoadModel::Unit& unit = model.units.emplace_back();
    unit.time.assign(model.classes.size(), {0.0, 0.0});
    unit.before.assign(units.before[c].begin(), units.before[c].end());
    unit.after.assign(units.after[c].begin(), units.after[c].end());
  }
  for (const UnitId id : problem.units()) {
    LoadModel::Unit& unit = model.units[units.class_of[index(id)]];
    for (const NodeId node : problem.members(id)) {
      const Node& facts = problem.graph().node(node);
      unit.nodes.push_back(node);
      if (!without_bytes[index(id)]) {
        unit.bytes += facts.weights.count;
        unit.private_bytes += facts.weights.count;
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
      model.units[units.class_of[index(id)]].apart.push_back(set);
}

// Where the unit that holds one has no bytes, its copies have none either.
void add_shared_weights(const Problem& problem, const Classes& class_of,
                        const std::vector<bool>& without_bytes, LoadModel& model) {
  const UnitGraph& units = unit_graph(problem);
  for (const UnitGraph::SharedWeight& of_units : units.shared_weights()) {
    const UnitId holder = of_units.net.producer;
    if (without_bytes[index(holder)]) continue;
    std::set<Class> classes{class_of[index(holder)]};
    for (const UnitId user : units.consumers(of_units.net)) classes.insert(class_of[index(user)]);
    if (classes.size() < 2) continue;
    const auto at = static_cast<std::uint32_t>(model.shared_weights.size());
    model.shared_weights.push_back({{classes.begin(), classes.end()}, of_units.size.count});
    model.units[class_of[index(holder)]].private_bytes -= of_units.size.count;
    for (const Class c : classes) model.units[c].shared.push_back(at);
  }
}

void add_nets(const Problem& problem, const Classes& class_of, LoadModel& model) {
  const UnitGraph& units = unit_graph(problem);
  std::vector<DeviceId> payer(model.prices - (model.servers.empty() ? 0 : 1));
  for (const DeviceClass& c : model.classes)
    if (c.price >= 0) payer[static_cast<std::size_t>(c.price)] = c.devices.front();
  std::map<std::tuple<std::vector<std::uint32_t>, std::uint32_t, std::uint8_t>, std::size_t> known;
  for (const UnitGraph::Net& of_units : units.nets()) {
    const TensorId tensor = of_units.tensor;
    LoadModel::Net net;
    net.producer = class_of[index(of_units.producer)];
    net.pins.push_back(net.producer);
    for (const UnitId consumer : units.consumers(of_units))
      net.pins.push_back(class_of[index(consumer)]);
    std::ranges::sort(net.pins);
    net.pins.erase(std::ranges::unique(net.pins).begin(), net.pins.end());
    if (net.pins.size() < 2) continue;
    const Node& maker = problem.graph().node(problem.graph().producer(tensor));
    net.half = model.halves_apart && maker.pass == Pass::kBackward;
    double weight = 0;
    bool even = true;  // reading costs what writing does
    for (const DeviceId device : payer) {
      const TensorPrice price = least_price(problem, tensor, device);
      net.read.push_back(price.read);
      net.write.push_back(price.write);
      weight += price.read + price.write;
      even = even && price.read == price.write;
    }
    if (!model.servers.empty()) {
      net.read.push_back(problem.over_network(tensor).count());
      net.write.push_back(net.read.back());
      weight += net.read.back();
    }
    if (weight <= 0) continue;
    // With even prices and no need to tell reads from writes, the producer does not matter.
    if (even && model.overlap != Overlap::kDuplex) net.producer = net.pins.front();
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

LoadModel load_model(const Problem& problem, const LoadModelOptions& options) {
  const MaxLoad& rules = problem.get<MaxLoad>();
  LoadModel model;
  model.classes = device_classes(problem);
  for (const DeviceClass& c : model.classes)
    model.prices = std::max(model.prices, static_cast<std::size_t>(c.price + 1));
  model.overlap = rules.overlap;
  if (problem.is_training() && rules.sync_bytes_per_second > 0)
    model.sync_per_byte = 1e6 / rules.sync_bytes_per_second;
  model.halves_apart = problem.is_training() && problem.model().halves_apart();
  const bool with_servers = options.servers && options.ordered && problem.counts_network();
  if (with_servers) add_servers(problem, model);
  model.exact = problem.model().through_host() && with_servers == problem.counts_network();

  Contraction units(problem.unit_count());
  std::vector<bool> joined(problem.unit_count(), false);
  if (options.ordered) {
    for (const auto& [from, to] : pipeline_order(problem))
      units.add_order(static_cast<Class>(from), static_cast<Class>(to));
    fuse_cycles(units);
    if (options.merge_trivial) joined = merge_trivial(problem, options.idle_bytes, units);
    units.renumber(topological_numbers(units), units.count());
  }
  if (options.idle_bytes != IdleBytes::kForget) joined.assign(problem.unit_count(), false);
  add_units(problem, units, joined, model);
  add_shared_weights(problem, units.class_of, joined, model);
  add_nets(problem, units.class_of, model);
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
