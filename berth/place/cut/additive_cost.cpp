#include "berth/place/cut/additive_cost.h"

#include <cmath>

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Numbers = std::vector<double>;

std::shared_ptr<const Numbers> unit_sizes(const UnitGraph& units, bool generous) {
  Numbers sizes;
  for (const UnitId unit : IdRange<UnitId>(units.unit_count())) {
    Bytes size = units.weights(unit);
    if (generous) size += units.workspaces(unit) + units.outputs(unit);
    sizes.push_back(static_cast<double>(size.count));
  }
  return std::make_shared<const Numbers>(std::move(sizes));
}

}  // namespace

AdditiveCost::AdditiveCost(const Problem& problem)
    : problem_(problem),
      units_(&unit_graph(problem_)),
      times_(std::make_shared<const Numbers>(units_->times())),
      sizes_(unit_sizes(*units_, false)) {}

double AdditiveCost::operator()(const UnitDevices& device_of) const {
  double sum = 0;
  for (const UnitId unit : device_of.ids()) sum += time(unit, device_of[unit]);
  std::vector<std::uint32_t> paid(device_count(), ~std::uint32_t{0});
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
  auto times = std::make_shared<Numbers>(*times_);
  for (const UnitPin& pin : pins)
    for (const DeviceId device : problem_.devices())
      if (device != pin.device)
        (*times)[index(pin.unit) * device_count() + index(device)] = kInfinity;
  AdditiveCost result = *this;
  result.times_ = std::move(times);
  return result;
}

AdditiveCost AdditiveCost::with_prices(Prices prices) const {
  assert(prices.per_byte.empty() || prices.per_byte.size() == device_count());
  AdditiveCost result = *this;
  result.surcharge_ = prices.per_transfer.count();
  result.prices_ = std::move(prices);
  return result;
}

AdditiveCost AdditiveCost::with_generous_sizes() const {
  AdditiveCost result = *this;
  result.sizes_ = unit_sizes(*units_, true);
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
