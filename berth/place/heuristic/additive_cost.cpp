#include "berth/place/heuristic/additive_cost.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> unit_times(const Problem& problem) {
  const std::size_t devices = problem.device_count();
  std::vector<double> times(problem.unit_count() * devices, 0.0);
  for (const UnitId unit : problem.units())
    for (const DeviceId device : problem.devices()) {
      double& time = times[index(unit) * devices + index(device)];
      if (!problem.unit_allows(unit, device))
        time = kInfinity;
      else
        for (const NodeId node : problem.members(unit)) time += problem.time(node, device).count();
    }
  return times;
}

std::vector<double> unit_sizes(const Problem& problem, bool generous) {
  const Graph& graph = problem.graph();
  std::vector<double> sizes(problem.unit_count(), 0.0);
  for (const NodeId node : graph.nodes()) {
    double& size = sizes[index(problem.unit_of(node))];
    size += static_cast<double>(graph.node(node).weights.count);
    if (!generous) continue;
    size += static_cast<double>(graph.node(node).workspace.count);
    for (const TensorId tensor : graph.outputs(node))
      size += static_cast<double>(graph.tensor(tensor).size.count);
  }
  return sizes;
}

}  // namespace

AdditiveCost::AdditiveCost(const Problem& problem)
    : problem_(problem),
      device_count_(problem.device_count()),
      times_(std::make_shared<const std::vector<double>>(unit_times(problem))),
      sizes_(std::make_shared<const std::vector<double>>(unit_sizes(problem, false))) {
  auto structure = std::make_shared<Structure>();
  const Graph& graph = problem.graph();
  IdVector<UnitId, std::uint32_t> seen(problem.unit_count(), ~std::uint32_t{0});
  for (const TensorId tensor : graph.tensors()) {
    const UnitId producer = problem.unit_of(graph.producer(tensor));
    const auto mark = static_cast<std::uint32_t>(index(tensor));
    const auto begin = static_cast<std::uint32_t>(structure->pins.size());
    seen[producer] = mark;
    for (const NodeId consumer : graph.consumers(tensor)) {
      const UnitId unit = problem.unit_of(consumer);
      if (seen[unit] == mark) continue;
      seen[unit] = mark;
      structure->pins.push_back(unit);
    }
    const auto end = static_cast<std::uint32_t>(structure->pins.size());
    if (end != begin) structure->nets.push_back({tensor, producer, begin, end});
  }
  structure_ = std::move(structure);
}

double AdditiveCost::operator()(const UnitDevices& device_of) const {
  double sum = 0;
  for (const UnitId unit : device_of.ids()) sum += time(unit, device_of[unit]);
  std::vector<std::uint32_t> paid(device_count_, ~std::uint32_t{0});
  std::uint32_t mark = 0;
  for (const Net& net : nets()) {
    const DeviceId from = device_of[net.producer];
    for (const UnitId consumer : consumers(net)) {
      const DeviceId to = device_of[consumer];
      if (to == from || paid[index(to)] == mark) continue;
      paid[index(to)] = mark;
      sum += transfer(net, from, to);
    }
    ++mark;
  }
  return sum;
}

double AdditiveCost::bytes_on(const UnitDevices& device_of, DeviceId device) const {
  double sum = 0;
  for (const UnitId unit : device_of.ids())
    if (device_of[unit] == device) sum += bytes(unit);
  return sum;
}

AdditiveCost AdditiveCost::with_pins(std::span<const UnitPin> pins) const {
  auto times = std::make_shared<std::vector<double>>(*times_);
  for (const UnitPin& pin : pins)
    for (const DeviceId device : problem_.devices())
      if (device != pin.device)
        (*times)[index(pin.unit) * device_count_ + index(device)] = kInfinity;
  AdditiveCost result = *this;
  result.times_ = std::move(times);
  return result;
}

AdditiveCost AdditiveCost::with_prices(Prices prices) const {
  assert(prices.per_byte.empty() || prices.per_byte.size() == device_count_);
  AdditiveCost result = *this;
  result.surcharge_ = prices.per_transfer.count();
  result.prices_ = std::move(prices);
  return result;
}

AdditiveCost AdditiveCost::with_generous_sizes() const {
  AdditiveCost result = *this;
  result.sizes_ = std::make_shared<const std::vector<double>>(unit_sizes(problem_, true));
  return result;
}

UnitDevices fastest_devices(const AdditiveCost& cost) {
  UnitDevices device_of(cost.unit_count(), DeviceId{0});
  for (const UnitId unit : device_of.ids())
    for (const DeviceId device : cost.problem().devices())
      if (cost.time(unit, device) < cost.time(unit, device_of[unit])) device_of[unit] = device;
  return device_of;
}

UnitDevices cheapest_start(const AdditiveCost& cost) {
  UnitDevices best = fastest_devices(cost);
  double least = kInfinity;
  for (const DeviceId device : cost.problem().devices()) {
    double sum = 0;
    for (const UnitId unit : cost.problem().units()) sum += cost.time(unit, device);
    if (sum >= least) continue;
    least = sum;
    best = UnitDevices(cost.unit_count(), device);
  }
  return best;
}

}  // namespace berth
