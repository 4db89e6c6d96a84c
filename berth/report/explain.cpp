#include "berth/report/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"
#include "berth/base/text.h"
#include "berth/report/table.h"
#include "berth/sim/crossings.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

const std::string& device_name(const Problem& problem, DeviceId device) {
  return problem.cluster().device(device).name;
}

// "" for the node itself, " (because of its unit's node 'x')" for another member.
std::string through(const Problem& problem, NodeId node, NodeId member) {
  if (member == node) return "";
  return fmt::format(" (through '{}', which shares its device)", problem.graph().node(member).name);
}

// The hard rule that keeps the node's unit away from the device; empty when none does.
std::string hard_obstacle(const Problem& problem, NodeId node, DeviceId device) {
  std::vector<NodeId> members(problem.members(problem.unit_of(node)).begin(),
                              problem.members(problem.unit_of(node)).end());
  std::erase(members, node);
  members.insert(members.begin(), node);  // the node's own reason comes first
  for (const NodeId member : members) {
    if (problem.time(member, device) == kForever)
      return "unsupported" + through(problem, node, member);
    for (const auto& pin : problem.constraints().pin)
      if (pin.node == member && pin.device != device)
        return "pinned to " + device_name(problem, pin.device) + through(problem, node, member);
    for (const auto& forbid : problem.constraints().forbid)
      if (forbid.node == member && forbid.device == device)
        return "forbidden" + through(problem, node, member);
  }
  return "";
}

Alternative alternative_on(const Problem& problem, const Placement& placement,
                           const Simulation& simulation, NodeId node, DeviceId device) {
  Alternative result{
      .device = device, .time = problem.time(node, device), .value = {}, .obstacle = {}};
  if (device == placement.device_of[node]) {
    result.value = simulation.value;
    return result;
  }
  result.obstacle = hard_obstacle(problem, node, device);
  if (!result.obstacle.empty()) return result;
  Placement moved = placement;
  std::erase_if(moved.replicas, [&](const Replica& replica) { return replica.device == device; });
  for (const NodeId member : problem.members(problem.unit_of(node)))
    moved.device_of[member] = device;
  const Simulation then = simulate(problem, moved);
  // A placement that is already broken elsewhere would blame every device for it.
  if (then.broken && then.broken != simulation.broken)
    result.obstacle = *then.broken;
  else
    result.value = then.value;
  return result;
}

std::string binding_of(const Problem& problem, const Explanation& e) {
  std::vector<std::string> obstacles;
  const Alternative* best = nullptr;
  for (const Alternative& alternative : e.alternatives) {
    if (alternative.device == e.device) continue;
    if (!alternative.value)
      obstacles.push_back(alternative.obstacle);
    else if (best == nullptr || *alternative.value < *best->value)
      best = &alternative;
  }
  const std::string& here = device_name(problem, e.device);
  if (e.alternatives.size() == 1) return fmt::format("{} is the only device", here);
  if (best == nullptr) {
    std::sort(obstacles.begin(), obstacles.end());
    obstacles.erase(std::unique(obstacles.begin(), obstacles.end()), obstacles.end());
    return fmt::format("no other device is possible: {}", fmt::join(obstacles, "; "));
  }
  const std::string& there = device_name(problem, best->device);
  if (e.value == kForever) return fmt::format("the placement cannot run; it could with {}", there);
  const double change = *best->value / e.value - 1;
  if (*best->value < e.value)
    return fmt::format("not a local optimum: {} would be better by {}", there,
                       percent_text(-change));
  if (*best->value == e.value) return fmt::format("a tie: {} would give the same objective", there);
  return fmt::format("the objective: the next best device, {}, is worse by {}", there,
                     percent_text(change));
}

std::string unit_text(const Problem& problem, const Explanation& e) {
  std::vector<std::string> names;
  for (const NodeId member : e.unit)
    if (member != e.node) names.push_back(problem.graph().node(member).name);
  const std::size_t shown = std::min<std::size_t>(names.size(), 5);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string neighbours_text(const Problem& problem, const Explanation& e,
                            const std::vector<Neighbour>& neighbours, const char* title) {
  if (neighbours.empty()) return "";
  constexpr std::size_t kShown = 12;
  Table table({title, "device", right("size"), right("transfer ms")});
  for (const Neighbour& n : neighbours) {
    if (table.row_count() == kShown) break;
    table.add_row({shortened(problem.graph().node(n.node).name, 40), device_name(problem, n.device),
                   n.size > Bytes{0} ? bytes_text(n.size) : "-",
                   n.device == e.device ? "-" : milliseconds_text(n.transfer)});
  }
  std::string text = fmt::format("\n{}", table.text());
  if (neighbours.size() > kShown) text += fmt::format("and {} more\n", neighbours.size() - kShown);
  return text;
}

}  // namespace

Explanation explain(const Problem& problem, const Placement& placement,
                    const Simulation& simulation, NodeId node) {
  const Graph& graph = problem.graph();
  Explanation e{.node = node,
                .device = placement.device_of[node],
                .replicas = sharers(placement, placement.device_of[node]),
                .value = simulation.value,
                .start = {},
                .finish = {},
                .unit = {},
                .alternatives = {},
                .inputs = {},
                .outputs = {},
                .binding = {}};
  e.replicas.erase(e.replicas.begin());  // itself
  for (const Run& run : simulation.schedule.runs)
    if (run.node == node) {
      e.start = run.start;
      e.finish = run.finish;
    }
  const auto members = problem.members(problem.unit_of(node));
  e.unit.assign(members.begin(), members.end());
  for (const DeviceId device : problem.devices())
    e.alternatives.push_back(alternative_on(problem, placement, simulation, node, device));
  for (const TensorId tensor : graph.inputs(node)) {
    const NodeId other = graph.producer(tensor);
    const DeviceId from = placement.device_of[other];
    e.inputs.push_back({tensor, other, from, crossing_time(problem, tensor, from, e.device),
                        graph.tensor(tensor).size});
  }
  for (const TensorId tensor : graph.outputs(node))
    for (const NodeId other : graph.consumers(tensor)) {
      const DeviceId to = placement.device_of[other];
      e.outputs.push_back({tensor, other, to, crossing_time(problem, tensor, e.device, to),
                           graph.tensor(tensor).size});
    }
  e.binding = binding_of(problem, e);
  return e;
}

std::string explanation_text(const Problem& problem, const Explanation& e) {
  const Node& node = problem.graph().node(e.node);
  std::string text =
      fmt::format("{}{} is on {}", node.name, node.op_type.empty() ? "" : " (" + node.op_type + ")",
                  device_name(problem, e.device));
  if (e.start && e.finish)
    text += fmt::format(", from {} to {}", milliseconds_text(*e.start), time_text(*e.finish));
  for (const DeviceId device : e.replicas)
    text += fmt::format("{} on {}", device == e.replicas.front() ? "; for other samples" : " and",
                        device_name(problem, device));
  text += fmt::format("\nreason: {}\n", e.binding);
  if (e.unit.size() > 1) text += fmt::format("shares its device with {}\n", unit_text(problem, e));

  Table table({"device", right("its time ms"), right("objective ms"), right("change"), ""});
  for (const Alternative& a : e.alternatives) {
    const bool here = a.device == e.device;
    table.add_row({device_name(problem, a.device), milliseconds_text(a.time),
                   a.value ? milliseconds_text(*a.value) : "-",
                   here || !a.value || e.value == kForever
                       ? ""
                       : fmt::format("{:+.1f}%", 100 * (*a.value / e.value - 1)),
                   here ? "here" : a.obstacle});
  }
  text += fmt::format("\n{}", table.text());
  text += neighbours_text(problem, e, e.inputs, "input from");
  text += neighbours_text(problem, e, e.outputs, "output to");
  return text;
}

NodeId find_node(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeId node : graph.nodes()) {
    if (graph.node(node).name == name) return node;
    names.push_back(graph.node(node).name);
  }
  for (const NodeId node : graph.nodes())
    if (graph.node(node).alias == name && !name.empty()) return node;
  const auto near = similar_word(name, names);
  throw Error(fmt::format("no node is called '{}'{}", name,
                          near ? fmt::format("; did you mean '{}'?", *near)
                               : fmt::format(" among the {} of the graph", names.size())));
}

}  // namespace berth
