#include "berth/place/cut/cut_moves.h"

#include <algorithm>
#include <cmath>

#include "berth/graph/real_cut.h"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kFixed = ~std::uint32_t{0};
constexpr double kRounding = 1e-12;  // relative gains below this are not gains

using Nodes = std::vector<std::uint32_t>;

// A node that is on the source's side as soon as one of these is.
std::uint32_t any_on_source_side(RealNetwork& network, const Nodes& nodes) {
  if (nodes.size() == 1) return nodes[0];
  const std::uint32_t any = network.add_node();
  for (const std::uint32_t node : nodes) network.add_arc(node, any, kInfinity);
  return any;
}
std::uint32_t any_on_sink_side(RealNetwork& network, const Nodes& nodes) {
  if (nodes.size() == 1) return nodes[0];
  const std::uint32_t any = network.add_node();
  for (const std::uint32_t node : nodes) network.add_arc(any, node, kInfinity);
  return any;
}

// The cost is paid as soon as one of the nodes is on the source's side; on the sink's.
void pay_if_any_on_source_side(RealNetwork& network, const Nodes& nodes, double cost) {
  if (cost != 0 && !nodes.empty())
    network.pay_on_source_side(any_on_source_side(network, nodes), cost);
}
void pay_if_any_on_sink_side(RealNetwork& network, const Nodes& nodes, double cost) {
  if (cost != 0 && !nodes.empty()) network.pay_on_sink_side(any_on_sink_side(network, nodes), cost);
}
// Paid if `from` is on the source's side and any of the others on the sink's.
void pay_across(RealNetwork& network, std::uint32_t from, const Nodes& to, double cost) {
  if (cost != 0 && !to.empty()) network.add_arc(from, any_on_sink_side(network, to), cost);
}
// Paid if `to` is on the sink's side and any of the others on the source's.
void pay_back(RealNetwork& network, const Nodes& from, std::uint32_t to, double cost) {
  if (cost != 0 && !from.empty()) network.add_arc(any_on_source_side(network, from), to, cost);
}

// The consumers of one net, by device: which devices have one that stays, which free ones are
// where.
class Consumers {
 public:
  explicit Consumers(std::size_t devices) : stays_(devices, 0), free_(devices) {}

  void read(const AdditiveCost& cost, const Net& net, const UnitDevices& device_of,
            const IdVector<UnitId, std::uint32_t>& number) {
    for (const DeviceId device : touched_) {
      stays_[index(device)] = 0;
      free_[index(device)].clear();
    }
    touched_.clear();
    all_free_.clear();
    for (const UnitId unit : cost.consumers(net)) {
      const DeviceId device = device_of[unit];
      if (!stays_[index(device)] && free_[index(device)].empty()) touched_.push_back(device);
      if (number[unit] == kFixed) {
        stays_[index(device)] = 1;
      } else {
        free_[index(device)].push_back(number[unit]);
        all_free_.push_back(number[unit]);
      }
    }
  }
  const std::vector<DeviceId>& devices() const { return touched_; }
  bool stays_on(DeviceId device) const { return stays_[index(device)] != 0; }
  const Nodes& free_on(DeviceId device) const { return free_[index(device)]; }
  const Nodes& all_free() const { return all_free_; }

 private:
  std::vector<std::uint8_t> stays_;
  std::vector<Nodes> free_;
  Nodes all_free_;
  std::vector<DeviceId> touched_;
};

void add_net_to_swap(RealNetwork& network, const AdditiveCost& cost, const Net& net,
                     const Consumers& consumers, DeviceId producer_at, std::uint32_t producer,
                     DeviceId a, DeviceId b) {
  if (producer == kFixed) {
    for (const DeviceId to : {a, b}) {
      if (to == producer_at || consumers.stays_on(to)) continue;  // never or always paid
      const double c = cost.transfer(net, producer_at, to);
      if (to == a)
        pay_if_any_on_source_side(network, consumers.all_free(), c);
      else
        pay_if_any_on_sink_side(network, consumers.all_free(), c);
    }
    return;
  }
  for (const DeviceId to : consumers.devices())
    if (consumers.stays_on(to)) {
      network.pay_on_source_side(producer, cost.transfer(net, a, to));
      network.pay_on_sink_side(producer, cost.transfer(net, b, to));
    }
  const double there = consumers.stays_on(b) ? 0 : cost.transfer(net, a, b);
  const double back = consumers.stays_on(a) ? 0 : cost.transfer(net, b, a);
  if (consumers.all_free().size() == 1) {
    if (there != 0 || back != 0) network.add_arc(producer, consumers.all_free()[0], there, back);
    return;
  }
  pay_across(network, producer, consumers.all_free(), there);
  pay_back(network, consumers.all_free(), producer, back);
}

// One net with one consumer: exact for its four states (if c(x,y) <= c(x,a) + c(a,y)).
void add_pair_to_expansion(RealNetwork& network, std::uint32_t producer, std::uint32_t consumer,
                           double both_keep, double producer_keeps, double consumer_keeps) {
  both_keep = std::min(both_keep, producer_keeps + consumer_keeps);
  network.pay_on_sink_side(consumer, consumer_keeps);
  const double rest = both_keep - consumer_keeps;
  if (rest >= 0)
    network.pay_on_sink_side(producer, rest);
  else
    network.pay_on_source_side(producer, -rest);
  const double across = std::max(0.0, producer_keeps + consumer_keeps - both_keep);
  if (across > 0) network.add_arc(consumer, producer, across);
}

void add_net_to_expansion(RealNetwork& network, const AdditiveCost& cost, const Net& net,
                          const Consumers& consumers, DeviceId x, std::uint32_t producer,
                          DeviceId a) {
  if (producer == kFixed) {
    for (const DeviceId y : consumers.devices())
      if (y != a && y != x && !consumers.stays_on(y))
        pay_if_any_on_sink_side(network, consumers.free_on(y), cost.transfer(net, x, y));
    if (x != a && !consumers.stays_on(a))
      pay_if_any_on_source_side(network, consumers.all_free(), cost.transfer(net, x, a));
    return;
  }
  const double to_a = cost.transfer(net, x, a);
  if (consumers.all_free().size() == 1 && cost.consumers(net).size() == 1) {
    const DeviceId y = consumers.devices()[0];
    const double keep = cost.transfer(net, x, y), switched = cost.transfer(net, a, y);
    if (std::isfinite(keep + switched + to_a)) {
      add_pair_to_expansion(network, producer, consumers.all_free()[0], keep, to_a, switched);
      return;
    }
  }
  for (const DeviceId y : consumers.devices()) {
    if (y == a) continue;
    const double keep = cost.transfer(net, x, y), switched = cost.transfer(net, a, y);
    if (consumers.stays_on(y)) {
      network.pay_on_sink_side(producer, keep);
      network.pay_on_source_side(producer, switched);
      continue;
    }
    const double always = std::min(keep, switched);
    pay_if_any_on_sink_side(network, consumers.free_on(y), always);
    if (switched > always) pay_across(network, producer, consumers.free_on(y), switched - always);
  }
  if (consumers.stays_on(a))
    network.pay_on_sink_side(producer, to_a);
  else
    pay_back(network, consumers.all_free(), producer, to_a);
}

// The cheapest choice of every free unit between `a`, the source's side, and its other device.
template <class IsFree, class Other, class AddNet>
SwapResult best_choice(const AdditiveCost& cost, const UnitDevices& from, DeviceId a,
                       IsFree is_free, Other other, AddNet add_net, double upper_bound) {
  IdVector<UnitId, std::uint32_t> number(cost.unit_count(), kFixed);
  RealNetwork network;
  for (const UnitId unit : number.ids()) {
    if (!is_free(unit)) continue;
    number[unit] = network.add_node();
    network.pay_on_source_side(number[unit], cost.time(unit, a));
    network.pay_on_sink_side(number[unit], cost.time(unit, other(unit)));
  }
  Consumers consumers(cost.device_count());
  for (const Net& net : cost.nets()) {
    consumers.read(cost, net, from, number);
    if (number[net.producer] == kFixed && consumers.all_free().empty()) continue;
    add_net(network, net, consumers, number[net.producer]);
  }
  const RealCut cut = minimum_cut(network, upper_bound);
  SwapResult result{from, cut.bound};
  if (std::isinf(cut.bound)) return result;
  for (const UnitId unit : number.ids())
    if (number[unit] != kFixed)
      result.device_of[unit] = cut.source_side[number[unit]] ? a : other(unit);
  return result;
}

}  // namespace

SwapResult best_swap(const AdditiveCost& cost, const UnitDevices& from, DeviceId a, DeviceId b) {
  return best_choice(
      cost, from, a, [&](UnitId unit) { return from[unit] == a || from[unit] == b; },
      [&](UnitId) { return b; },
      [&](RealNetwork& network, const Net& net, const Consumers& consumers,
          std::uint32_t producer) {
        add_net_to_swap(network, cost, net, consumers, from[net.producer], producer, a, b);
      },
      cost(from));
}

UnitDevices best_expansion(const AdditiveCost& cost, const UnitDevices& from, DeviceId a) {
  return best_choice(
             cost, from, a,
             [&](UnitId unit) { return from[unit] != a && std::isfinite(cost.time(unit, a)); },
             [&](UnitId unit) { return from[unit]; },
             [&](RealNetwork& network, const Net& net, const Consumers& consumers,
                 std::uint32_t producer) {
               add_net_to_expansion(network, cost, net, consumers, from[net.producer], producer, a);
             },
             kInfinity)
      .device_of;
}

UnitDevices expand_and_swap(const AdditiveCost& cost, UnitDevices start, const Budget& budget) {
  struct Step {
    DeviceId a, b;  // equal: expansion
  };
  std::vector<Step> steps;
  for (const DeviceId a : cost.problem().devices()) steps.push_back({a, a});
  for (const DeviceId a : cost.problem().devices())
    for (const DeviceId b : cost.problem().devices())
      if (a < b) steps.push_back({a, b});

  double value = cost(start);
  std::size_t failures = 0;
  for (std::size_t i = 0; failures < steps.size() && !budget.spent(); i = (i + 1) % steps.size()) {
    const auto [a, b] = steps[i];
    UnitDevices next =
        a == b ? best_expansion(cost, start, a) : best_swap(cost, start, a, b).device_of;
    const double reached = cost(next);
    if (reached < value - kRounding * std::abs(value) || (std::isinf(value) && reached < value)) {
      start = std::move(next);
      value = reached;
      failures = 0;
    } else {
      ++failures;
    }
  }
  return start;
}

}  // namespace berth
