#include "berth/place/cut/apart_assignments.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::size_t kMostSteps =
    1000000;  // of backtracking, after which the list is not complete

class Backtracking {
 public:
  Backtracking(const Problem& problem, const UnitDevices& preferred, std::size_t most)
      : problem_(problem), units_(unit_graph(problem)), preferred_(preferred), most_(most) {
    used_.assign(problem.apart().size() * problem.device_count(), 0);
    order_units();
  }

  ApartAssignments run() {
    choose(0);
    return std::move(result_);
  }

 private:
  // Connected sets one after another, so that a clash shows soon after its cause.
  void order_units() {
    IdVector<UnitId, std::uint8_t> seen(problem_.unit_count(), 0);
    for (const std::vector<UnitId>& set : problem_.apart())
      for (const UnitId first : set) {
        if (seen[first]) continue;
        seen[first] = 1;
        std::size_t at = order_.size();
        order_.push_back(first);
        for (; at < order_.size(); ++at)
          for (const std::uint32_t own : units_.apart_sets(order_[at]))
            for (const UnitId next : problem_.apart()[own]) {
              if (seen[next]) continue;
              seen[next] = 1;
              order_.push_back(next);
            }
      }
  }

  std::uint8_t& used(std::uint32_t set, DeviceId device) {
    return used_[set * problem_.device_count() + index(device)];
  }

  void choose(std::size_t at) {
    if (!result_.complete) return;
    if (at == order_.size()) {
      if (result_.ways.size() == most_)
        result_.complete = false;
      else
        result_.ways.push_back(pins_);
      return;
    }
    const UnitId unit = order_[at];
    try_device(at, unit, preferred_[unit]);
    for (const DeviceId device : problem_.devices())
      if (device != preferred_[unit]) try_device(at, unit, device);
  }

  void try_device(std::size_t at, UnitId unit, DeviceId device) {
    if (!problem_.unit_allows(unit, device)) return;
    if (++steps_ > kMostSteps) result_.complete = false;
    for (const std::uint32_t set : units_.apart_sets(unit))
      if (used(set, device)) return;
    for (const std::uint32_t set : units_.apart_sets(unit)) used(set, device) = 1;
    pins_.push_back({unit, device});
    choose(at + 1);
    pins_.pop_back();
    for (const std::uint32_t set : units_.apart_sets(unit)) used(set, device) = 0;
  }

  const Problem& problem_;
  const UnitGraph& units_;
  const UnitDevices& preferred_;
  std::size_t most_, steps_ = 0;
  std::vector<std::uint8_t> used_;
  std::vector<UnitId> order_;
  std::vector<UnitPin> pins_;
  ApartAssignments result_;
};

}  // namespace

ApartAssignments ways_to_keep_apart(const Problem& problem, const UnitDevices& preferred,
                                    std::size_t most) {
  return Backtracking(problem, preferred, most).run();
}

}  // namespace berth
