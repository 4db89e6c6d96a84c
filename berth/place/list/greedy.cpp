#include "berth/place/list/greedy.h"

#include <algorithm>

#include "berth/graph/order.h"
#include "berth/place/list/list_schedule.h"
#include "berth/search/unit_assignment.h"
#include "berth/transform/contract.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

struct Block {
  std::vector<UnitId> units;
  std::vector<NodeId> nodes;  // ascending
};

// Strongly connected parts of the unit graph, by first node.
std::vector<Block> inseparable_blocks(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<std::vector<std::uint32_t>> successors(problem.unit_count());
  for (const UnitId unit : problem.units())
    for (const UnitId next : unit_graph(problem).successors(unit))
      successors[index(unit)].push_back(static_cast<std::uint32_t>(next));
  const std::vector<std::uint32_t> component = strongly_connected_components(successors);
  std::vector<std::optional<std::size_t>> number(component.size());
  IdVector<UnitId, std::uint8_t> listed(problem.unit_count());
  std::vector<Block> blocks;
  for (const NodeId node : graph.nodes()) {
    const UnitId unit = problem.unit_of(node);
    std::optional<std::size_t>& at = number[component[index(unit)]];
    if (!at) {
      at = blocks.size();
      blocks.emplace_back();
    }
    blocks[*at].nodes.push_back(node);
    if (listed[unit] == 0) blocks[*at].units.push_back(unit);
    listed[unit] = 1;
  }
  return blocks;
}

// Whether one device could hold the whole block: some device allows every unit, and none are apart.
bool can_stay_whole(const Problem& problem, const Block& block) {
  const auto holds = [&](UnitId unit) { return std::ranges::count(block.units, unit) > 0; };
  for (const std::vector<UnitId>& set : problem.apart())
    if (std::ranges::count_if(set, holds) > 1) return false;
  return std::ranges::any_of(problem.devices(), [&](DeviceId device) {
    return std::ranges::all_of(block.units,
                               [&](UnitId unit) { return problem.unit_allows(unit, device); });
  });
}

// The problem in which every block that can stay whole is one unit.
Problem with_blocks_as_units(const Problem& problem, const std::vector<Block>& blocks) {
  Constraints constraints = problem.constraints();
  bool changed = false;
  for (const Block& block : blocks)
    if (block.units.size() > 1 && can_stay_whole(problem, block)) {
      constraints.together.push_back(block.nodes);
      changed = true;
    }
  return changed ? problem.with_constraints(std::move(constraints)) : problem;
}

std::vector<const Block*> depth_first_order(const Graph& graph, const std::vector<Block>& blocks) {
  IdVector<NodeId, std::size_t> block_of(graph.node_count());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const NodeId node : blocks[b].nodes) block_of[node] = b;
  const auto for_each_use = [&](std::size_t block, auto visit) {
    for (const NodeId node : blocks[block].nodes)
      for (const TensorId tensor : graph.outputs(node))
        for (const NodeId consumer : graph.consumers(tensor))
          if (block_of[consumer] != block) visit(block_of[consumer]);
  };
  std::vector<std::size_t> missing(blocks.size(), 0), stack;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for_each_use(b, [&](std::size_t next) { ++missing[next]; });
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (missing[b] == 0) stack.push_back(b);
  std::vector<const Block*> order;
  while (!stack.empty()) {
    const std::size_t block = stack.back();
    stack.pop_back();
    order.push_back(&blocks[block]);
    for_each_use(block, [&](std::size_t next) {
      if (--missing[next] == 0) stack.push_back(next);
    });
  }
  return order;
}

// One accelerator after the other; see the header.
class Filling {
 public:
  explicit Filling(const Problem& problem) : problem_(problem), units_(problem) {
    for (const DeviceId device : problem.devices())
      (problem.cluster().device(device).is_host() ? hosts_ : closed_).push_back(device);
  }

  // False when no device takes the unit.
  bool add(UnitId unit) {
    std::optional<DeviceId> device = open_ && units_.may_take(unit, *open_) ? open_ : std::nullopt;
    if (!device) {
      device = open_ = first_that_takes(unit, closed_);
      if (device) std::erase(closed_, *device);
    }
    if (!device) device = first_that_takes(unit, hosts_);
    if (!device) device = first_that_takes(unit, problem_.devices());
    if (!device) return false;
    units_.take(unit, *device);
    return true;
  }
  const UnitAssignment& units() const { return units_; }

 private:
  template <class Devices>
  std::optional<DeviceId> first_that_takes(UnitId unit, const Devices& devices) const {
    for (const DeviceId device : devices)
      if (units_.may_take(unit, device)) return device;
    return std::nullopt;
  }

  Problem problem_;
  UnitAssignment units_;
  std::vector<DeviceId> closed_, hosts_;  // accelerators not opened yet; CPUs
  std::optional<DeviceId> open_;
};

Outcome fill_accelerators(const Problem& problem) {
  const std::vector<Block> blocks = inseparable_blocks(problem);
  const Problem whole = with_blocks_as_units(problem, blocks);
  Filling filling(whole);
  for (const Block* block : depth_first_order(problem.graph(), blocks))
    for (const UnitId unit : block->units) {
      const NodeId node = problem.members(unit).front();
      if (!filling.add(whole.unit_of(node))) return {.reason = filling.units().refusal(node)};
    }
  Placement placement{IdVector<NodeId, DeviceId>(problem.node_count()), {}};
  for (const NodeId node : problem.graph().nodes())
    placement.device_of[node] = *filling.units().device_of(whole.unit_of(node));
  return {.placement = std::move(placement)};
}

}  // namespace

void greedy(const Context& context, const NoOptions&) {
  if (context.problem.as<CallLatency>())
    return context.incumbent.take(fill_accelerators(context.problem));
  const Coarsening units = contract_units(context.problem);
  context.incumbent.take(expand(
      units, place_in_order(units.problem, priority_order(units.problem), false, context.budget)));
}

}  // namespace berth
