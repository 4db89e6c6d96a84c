#include "berth/search/search_state.h"

#include <cmath>
#include <numeric>

#include "berth/search/unit_assignment.h"

namespace berth {
namespace {

constexpr double kOverflowPrice = 10;  // energy of overflowing by a whole device, in values
constexpr double kPlateauSlope = 0.02;

bool is_incremental(const ExecutionModel& model, MemoryRule rule) {
  return model.properties().made_of_loads && model.max_subgraphs == 0 &&
         rule != MemoryRule::kLifetimes;
}

}  // namespace

SearchState::SearchState(const Problem& problem, const UnitDevices& start)
    : problem_(problem),
      units_(unit_graph(problem_)),
      evaluator_(problem),
      memory_rule_(memory_rule(problem)),
      device_of_(start),
      held_(problem) {
  node_device_ = from_units(problem, start).device_of.items();
  for (const UnitId unit : problem.units()) held_.add(unit, start[unit]);
  if (is_incremental(problem.model(), memory_rule_)) loads_.emplace(problem, start);
  rescore();
}

bool SearchState::may_move(UnitId unit, DeviceId device) const {
  if (!problem_.unit_allows(unit, device)) return false;
  for (const std::uint32_t set : units_.apart_sets(unit))
    for (const UnitId other : problem_.apart()[set])
      if (other != unit && device_of_[other] == device) return false;
  return true;
}

void SearchState::set_device(UnitId unit, DeviceId device) {
  held_.remove(unit, device_of_[unit]);
  held_.add(unit, device);
  device_of_[unit] = device;
  if (loads_) {
    loads_->move(unit, device);
  } else {
    for (const NodeId node : problem_.members(unit)) node_device_[index(node)] = device;
  }
}

// Plus a slope where the value is a maximum: see the header.
template <class Load>
double SearchState::sloped(double value, const Load& load) const {
  double squares = 0;
  for (const DeviceId device : problem_.devices()) squares += load(device) * load(device);
  return value + kPlateauSlope * std::sqrt(squares / static_cast<double>(problem_.device_count()));
}

void SearchState::rescore() {
  if (!loads_) {
    score_ = evaluator_(node_device_);
    energy_ = score_.value.count() * (1 + kOverflowPrice * score_.overflow);
    if (const std::span<const double> loads = evaluator_.loads(); !loads.empty())
      energy_ = sloped(energy_, [&](DeviceId device) { return loads[index(device)]; });
    return;
  }
  score_ = {Duration{loads_->value()}, 0.0};
  if (memory_rule_ == MemoryRule::kWeightsOnly)
    for (const DeviceId device : problem_.devices())
      score_.overflow += overflow_of(problem_.cluster().device(device), held_.on(device));
  double energy = score_.value.count();
  if (problem_.objective() == Objective::kThroughput)
    energy = sloped(energy, [&](DeviceId device) { return loads_->load(device); });
  energy_ = energy * (1 + kOverflowPrice * score_.overflow);
}

void SearchState::apply(std::span<const Change> changes) {
  before_.clear();
  score_before_ = score_;
  energy_before_ = energy_;
  for (const Change& change : changes) {
    before_.push_back({change.unit, device_of_[change.unit]});
    set_device(change.unit, change.device);
  }
  rescore();
}

void SearchState::undo() {
  for (auto at = before_.rbegin(); at != before_.rend(); ++at) set_device(at->unit, at->device);
  before_.clear();
  score_ = score_before_;
  energy_ = energy_before_;
}

void SearchState::refresh() {
  if (loads_) loads_.emplace(problem_, device_of_);
  rescore();
}

std::optional<UnitDevices> make_allowed(const Problem& problem, UnitDevices device_of) {
  const UnitGraph& units = unit_graph(problem);
  std::vector<std::vector<DeviceId>> taken(problem.apart().size());

  // The most constrained units choose first.
  std::vector<UnitId> order(problem.units().begin(), problem.units().end());
  if (!problem.apart().empty()) {
    IdVector<UnitId, std::size_t> freedom(problem.unit_count());
    for (const UnitId unit : order)
      freedom[unit] = allowed_devices(problem, unit).size() +
                      (units.apart_sets(unit).empty() ? problem.device_count() : 0);
    std::ranges::stable_sort(order, {}, [&](UnitId unit) { return freedom[unit]; });
  }
  for (const UnitId unit : order) {
    const auto free = [&](DeviceId device) {
      return problem.unit_allows(unit, device) &&
             std::ranges::none_of(units.apart_sets(unit), [&](std::uint32_t set) {
               return std::ranges::find(taken[set], device) != taken[set].end();
             });
    };
    if (index(device_of[unit]) >= problem.device_count() || !free(device_of[unit])) {
      std::optional<DeviceId> best;
      double least = kForever.count();
      for (const DeviceId device : problem.devices()) {
        if (!free(device)) continue;
        const double time = units.time(unit, device);
        if (!best || time < least) best = device, least = time;
      }
      if (!best) return std::nullopt;
      device_of[unit] = *best;
    }
    for (const std::uint32_t set : units.apart_sets(unit)) taken[set].push_back(device_of[unit]);
  }
  return device_of;
}

std::optional<UnitDevices> make_fit(const Problem& problem, UnitDevices device_of, Budget& budget,
                                    Repair repair) {
  SearchState state(problem, device_of);
  budget.count();
  const UnitGraph& units = unit_graph(problem);
  std::vector<UnitId> heaviest(problem.units().begin(), problem.units().end());
  const auto bytes = [&](UnitId unit) { return units.weights(unit) + units.outputs(unit); };
  std::ranges::stable_sort(heaviest, std::greater{}, bytes);
  // Each accepted move lowers the overflow; a pass without one is the end.
  for (bool moved = true; moved && !state.score().feasible();) {
    moved = false;
    for (const UnitId unit : heaviest) {
      const DeviceId home = state.device_of(unit);
      std::optional<DeviceId> best;
      Score least = state.score();
      double energy = state.energy();
      for (const DeviceId device : problem.devices()) {
        if (device == home || !state.may_move(unit, device)) continue;
        if (repair == Repair::kWithinBudget && budget.spent()) return std::nullopt;
        state.apply({unit, device});
        budget.count();
        if (state.score().overflow < least.overflow ||
            (best && state.score().overflow == least.overflow && state.energy() < energy)) {
          best = device;
          least = state.score();
          energy = state.energy();
        }
        state.undo();
      }
      if (!best) continue;
      state.apply({unit, *best});
      moved = true;
      if (state.score().feasible()) break;
    }
  }
  if (!state.score().feasible()) return std::nullopt;
  return state.devices();
}

}  // namespace berth
