#include "berth/place/cut/multiway_bound.h"

#include <algorithm>
#include <cmath>

#include "berth/solvers/milp.h"

namespace berth {
namespace {

class Relaxation {
 public:
  explicit Relaxation(const AdditiveCost& cost) : cost_(cost), devices_(cost.device_count()) {
    add_units();
    for (const Net& net : cost.nets()) add_net(net);
    add_memory();
    add_apart();
  }

  const MilpModel& model() const { return model_; }

  UnitDevices round(const IdVector<VariableId, double>& values) const {
    UnitDevices device_of(cost_.unit_count(), DeviceId{0});
    for (const UnitId unit : device_of.ids()) {
      double most = -1;
      for (const DeviceId device : cost_.problem().devices()) {
        const double share = allowed(unit, device) ? values[x(unit, device)] : -1;
        if (share <= most) continue;
        most = share;
        device_of[unit] = device;
      }
    }
    return device_of;
  }

 private:
  VariableId x(UnitId unit, DeviceId device) const {
    return static_cast<VariableId>(index(unit) * devices_ + index(device));
  }
  bool allowed(UnitId unit, DeviceId device) const {
    return std::isfinite(cost_.time(unit, device));
  }

  void add_units() {
    for (const UnitId unit : cost_.problem().units())
      for (const DeviceId device : cost_.problem().devices())
        model_.add_variable(allowed(unit, device)
                                ? Variable{.upper = 1, .cost = cost_.time(unit, device)}
                                : Variable{.upper = 0});
    for (const UnitId unit : cost_.problem().units()) {
      terms_.clear();
      for (const DeviceId device : cost_.problem().devices())
        terms_.push_back({x(unit, device), 1});
      model_.add_row(1, 1, terms_);
    }
  }

  // The cost of sending to `y`, when it is the same from every device the producer may use.
  std::optional<double> same_from_everywhere(const Net& net, DeviceId y) const {
    std::optional<double> common;
    for (const DeviceId from : cost_.problem().devices()) {
      if (from == y || !allowed(net.producer, from)) continue;
      const double c = cost_.transfer(net, from, y);
      if (!std::isfinite(c) || (common && *common != c)) return std::nullopt;
      common = c;
    }
    return common ? common : 0.0;  // the producer can only be on y itself: nothing to send
  }

  void add_net(const Net& net) {
    std::vector<DeviceId> by_flow;
    std::vector<std::pair<DeviceId, double>> by_excess;
    for (const DeviceId y : cost_.problem().devices()) {
      const std::optional<double> c = same_from_everywhere(net, y);
      if (!c)
        by_flow.push_back(y);
      else if (*c > 0)
        by_excess.emplace_back(y, *c);
    }
    if (!by_flow.empty() && cost_.consumers(net).size() == 1) return add_transport(net);
    for (const auto& [y, c] : by_excess) add_excess(net, y, c);
    for (const DeviceId y : by_flow) add_flow_to(net, y);
  }

  void add_excess(const Net& net, DeviceId y, double c) {
    const VariableId s = model_.add_variable({.upper = 1, .cost = c});
    for (const UnitId w : cost_.consumers(net))
      if (allowed(w, y)) model_.add_excess(s, x(w, y), x(net.producer, y));
  }

  // z[x,y]; infinite links carry nothing.
  VariableId add_share(const Net& net, DeviceId from, DeviceId to) {
    const double c = cost_.transfer(net, from, to);
    return model_.add_variable(std::isfinite(c) ? Variable{.upper = 1, .cost = c}
                                                : Variable{.upper = 0});
  }

  void add_flow_to(const Net& net, DeviceId y) {
    std::vector<Term> arriving;
    for (const DeviceId from : cost_.problem().devices()) {
      if (!allowed(net.producer, from)) continue;
      const VariableId z = add_share(net, from, y);
      model_.add_row(0, kNoLimit, {{x(net.producer, from), 1}, {z, -1}});
      arriving.push_back({z, 1});
    }
    for (const UnitId w : cost_.consumers(net)) {
      if (!allowed(w, y)) continue;
      terms_ = arriving;
      terms_.push_back({x(w, y), -1});
      model_.add_row(0, kNoLimit, terms_);
    }
  }

  void add_transport(const Net& net) {
    const UnitId w = cost_.consumers(net)[0];
    std::vector<std::vector<Term>> arriving(devices_);
    for (const DeviceId from : cost_.problem().devices()) {
      if (!allowed(net.producer, from)) continue;
      terms_.assign(1, {x(net.producer, from), -1});
      for (const DeviceId to : cost_.problem().devices()) {
        if (!allowed(w, to)) continue;
        const VariableId z = add_share(net, from, to);
        terms_.push_back({z, 1});
        arriving[index(to)].push_back({z, 1});
      }
      model_.add_row(0, 0, terms_);
    }
    for (const DeviceId to : cost_.problem().devices()) {
      if (!allowed(w, to)) continue;
      arriving[index(to)].push_back({x(w, to), -1});
      model_.add_row(0, 0, arriving[index(to)]);
    }
  }

  // As shares of the limit, to keep the coefficients near one.
  void add_memory() {
    for (const DeviceId device : cost_.problem().devices()) {
      const auto limit = cost_.problem().cluster().device(device).memory;
      if (!limit || limit->count <= 0) continue;
      terms_.clear();
      double most = 0;
      for (const UnitId unit : cost_.problem().units()) {
        const double share = cost_.bytes(unit) / static_cast<double>(limit->count);
        if (share == 0 || !allowed(unit, device)) continue;
        terms_.push_back({x(unit, device), share});
        most += share;
      }
      if (most > 1) model_.add_row(-kNoLimit, 1, terms_);
    }
  }

  void add_apart() {
    for (const std::vector<UnitId>& set : cost_.problem().apart())
      for (const DeviceId device : cost_.problem().devices()) {
        terms_.clear();
        for (const UnitId unit : set) terms_.push_back({x(unit, device), 1});
        model_.add_row(-kNoLimit, 1, terms_);
      }
  }

  const AdditiveCost& cost_;
  std::size_t devices_;
  MilpModel model_;
  std::vector<Term> terms_;
};

}  // namespace

std::optional<MultiwayBound> multiway_bound(const AdditiveCost& cost, const Budget& budget) {
  const Relaxation relaxation(cost);
  const MilpSolution solution =
      solve(relaxation.model(),
            {.seconds = budget.seconds_left(), .stop = [&] { return budget.stopped(); }});
  if (solution.status == MilpStatus::kInfeasible)
    return MultiwayBound{kForever, fastest_devices(cost)};
  if (solution.duals.empty() || !solution.has_values()) return std::nullopt;
  const double bound = weak_dual_bound(relaxation.model(), solution.duals);
  return MultiwayBound{Duration{std::max(0.0, bound)}, relaxation.round(solution.values)};
}

}  // namespace berth
