#include "berth/report/explain.h"

#include <set>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/base/nearest_word.h"
#include "berth/base/text.h"
#include "berth/report/table.h"
#include "berth/sim/crossings.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

std::string through(const Problem& problem, NodeId node, NodeId member) {
  if (member == node) return "";
  return fmt::format(" (through '{}', which shares its device)", problem.node_name(member));
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
        return "pinned to " + problem.device_name(pin.device) + through(problem, node, member);
    for (const auto& forbid : problem.constraints().forbid)
      if (forbid.node == member && forbid.device == device)
        return "forbidden" + through(problem, node, member);
  }
  return "";
}

Alternative alternative_on(const Problem& problem, const Placement& placement,
                           const Simulation& simulation, NodeId node, DeviceId device) {
  Alternative result{.device = device, .time = problem.time(node, device)};
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
  std::set<std::string> obstacles;
  const Alternative* best = nullptr;
  for (const Alternative& alternative : e.alternatives) {
    if (alternative.device == e.device) continue;
    if (!alternative.value)
      obstacles.insert(alternative.obstacle);
    else if (best == nullptr || *alternative.value < *best->value)
      best = &alternative;
  }
  const std::string& here = problem.device_name(e.device);
  if (e.alternatives.size() == 1) return fmt::format("{} is the only device", here);
  if (best == nullptr)
    return fmt::format("no other device is possible: {}", listed(obstacles, "; "));
  const std::string& there = problem.device_name(best->device);
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
    if (member != e.node) names.push_back(problem.node_name(member));
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
    table.add_row({shortened(problem.node_name(n.node), 40), problem.device_name(n.device),
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
                .value = simulation.value};
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
  const auto neighbour = [&](TensorId tensor, NodeId other, NodeId from, NodeId to) {
    return Neighbour{
        tensor, other, placement.device_of[other],
        crossing_time(problem, tensor, placement.device_of[from], placement.device_of[to]),
        graph.tensor(tensor).size};
  };
  for (const TensorId tensor : graph.inputs(node))
    e.inputs.push_back(neighbour(tensor, graph.producer(tensor), graph.producer(tensor), node));
  for (const TensorId tensor : graph.outputs(node))
    for (const NodeId user : graph.consumers(tensor))
      e.outputs.push_back(neighbour(tensor, user, node, user));
  e.binding = binding_of(problem, e);
  return e;
}

std::string explanation_text(const Problem& problem, const Explanation& e) {
  const Node& node = problem.graph().node(e.node);
  std::string text =
      fmt::format("{}{} is on {}", node.name, node.op_type.empty() ? "" : " (" + node.op_type + ")",
                  problem.device_name(e.device));
  if (e.start && e.finish)
    text += fmt::format(", from {} to {}", milliseconds_text(*e.start), time_text(*e.finish));
  for (const DeviceId device : e.replicas)
    text += fmt::format("{} on {}", device == e.replicas.front() ? "; for other samples" : " and",
                        problem.device_name(device));
  text += fmt::format("\nreason: {}\n", e.binding);
  if (e.unit.size() > 1) text += fmt::format("shares its device with {}\n", unit_text(problem, e));

  Table table({"device", right("its time ms"), right("objective ms"), right("change"), ""});
  for (const Alternative& a : e.alternatives) {
    const bool here = a.device == e.device;
    table.add_row({problem.device_name(a.device), milliseconds_text(a.time),
                   milliseconds_text(a.value),
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
  fail("no node is called '{}'{}", name,
       near ? fmt::format("; did you mean '{}'?", *near)
            : fmt::format(" among the {} of the graph", names.size()));
}

}  // namespace berth
