#include "berth/place/load/large_neighbourhood.h"

#include <map>
#include <numeric>
#include <set>

namespace berth {
namespace {

constexpr double kGain = 1e-6;  // relative; less is the solver's tolerance
constexpr double kProgramValue = 1000;
constexpr std::uint64_t kMostNodes = 300;  // of each program's tree
// Of three devices together; larger sets are too hard to be worth a try.
constexpr std::size_t kMostUnits = 120;

using SlotSet = std::vector<std::uint32_t>;  // ascending

class Search {
 public:
  Search(const LoadModel& model, SlotOfUnit start, const LargeNeighbourhoodOptions& options,
         Budget& budget, Rng rng, const std::function<void(const SlotOfUnit&)>& improved)
      : model_(model),
        options_(options),
        budget_(budget),
        rng_(rng),
        improved_(improved),
        slots_(slots_of(model)),
        slot_of_(std::move(start)),
        version_(slots_.size(), 0) {
    weigh();
  }

  SlotOfUnit run() {
    if (slots_.size() < 2) return slot_of_;
    int idle_windows = 0;
    for (int round = 0; options_.rounds <= 0 || round < options_.rounds; ++round) {
      if (budget_.spent() || value_ <= options_.floor * (1 + kGain)) break;
      const SlotSet devices = next_devices();
      if (!devices.empty()) {
        if (free_devices(devices))
          idle_windows = 0;
        else
          in_vain_[devices] = versions(devices);
        continue;
      }
      if (++idle_windows > kIdleWindows) break;
      if (free_window()) idle_windows = 0;
    }
    return slot_of_;
  }

 private:
  static constexpr int kIdleWindows = 8;

  void weigh() {
    loads_ = slot_loads(model_, slot_of_);
    value_ = value_of_loads(loads_);
    held_.assign(slots_.size(), 0);
    for (const std::uint32_t slot : slot_of_) ++held_[slot];
  }
  double load(std::uint32_t slot) const { return loads_[slot][0] + loads_[slot][1]; }
  std::uint32_t busiest() const {
    std::uint32_t most = 0;
    for (std::uint32_t slot = 1; slot < slots_.size(); ++slot)
      if (load(slot) > load(most)) most = slot;
    return most;
  }

  // The price of nets that two devices share, from the point of view of `one`.
  std::vector<double> shared_weight(std::uint32_t one) const {
    std::vector<double> weight(slots_.size(), 0.0);
    std::vector<std::uint8_t> there(slots_.size());
    for (const LoadModel::Net& net : model_.nets) {
      std::fill(there.begin(), there.end(), std::uint8_t{0});
      for (const std::uint32_t pin : net.pins) there[slot_of_[pin]] = 1;
      if (there[one] == 0) continue;
      const double price = net.read.empty() ? 0 : std::ranges::max(net.read);
      for (std::size_t slot = 0; slot < slots_.size(); ++slot)
        if (there[slot] != 0) weight[slot] += price;
    }
    return weight;
  }

  std::vector<std::uint64_t> versions(const SlotSet& devices) const {
    std::vector<std::uint64_t> at;
    for (const std::uint32_t slot : devices) at.push_back(version_[slot]);
    return at;
  }
  bool worth_a_try(const SlotSet& devices) const {
    std::size_t units = 0;
    for (const std::uint32_t slot : devices) units += held_[slot];
    if (devices.size() > 2 && units > kMostUnits) return false;
    const auto known = in_vain_.find(devices);
    return known == in_vain_.end() || known->second != versions(devices);
  }

  // The busiest device with one other, then with two; empty when all were searched in vain.
  SlotSet next_devices() {
    const std::uint32_t first = busiest();
    const std::vector<double> shared = shared_weight(first);
    std::vector<std::uint32_t> others;
    std::vector<std::uint8_t> empty_class(model_.classes.size(), 0);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slot == first) continue;
      // Of the empty devices of a class one is as good as all.
      if (held_[slot] == 0 && empty_class[slots_[slot].device_class]++ > 0) continue;
      others.push_back(slot);
    }
    std::ranges::stable_sort(
        others, {}, [&](std::uint32_t slot) { return std::pair(-shared[slot], load(slot)); });
    const auto sorted = [](SlotSet set) {
      std::ranges::sort(set);
      return set;
    };
    for (const std::uint32_t other : others)
      if (SlotSet pair = sorted({first, other}); worth_a_try(pair)) return pair;
    for (std::size_t i = 0; i < others.size(); ++i)
      for (std::size_t j = i + 1; j < others.size(); ++j)
        if (SlotSet triple = sorted({first, others[i], others[j]}); worth_a_try(triple))
          return triple;
    return {};
  }

  bool free_devices(const SlotSet& devices) {
    LoadProgramOptions form;
    form.open.assign(slots_.size(), 0);
    for (const std::uint32_t slot : devices) form.open[slot] = 1;
    form.fixed = slot_of_;
    for (std::uint32_t& slot : form.fixed)
      if (form.open[slot] != 0) slot = kFreeUnit;
    return solve_part(form);
  }

  // A unit of the busiest device, and breadth first what shares nets with it.
  bool free_window() {
    const std::uint32_t first = busiest();
    std::vector<std::uint32_t> window;
    for (std::uint32_t unit = 0; unit < slot_of_.size(); ++unit)
      if (slot_of_[unit] == first) window.push_back(unit);
    if (window.empty()) return false;
    window = {window[rng_.below(window.size())]};
    std::set<std::uint32_t> in(window.begin(), window.end());
    const std::size_t most = std::max<std::size_t>(8, 160 / slots_.size());
    for (std::size_t at = 0; at < window.size() && window.size() < most; ++at) {
      std::vector<std::uint32_t> nets = model_.units[window[at]].nets;
      rng_.shuffle(nets);
      for (const std::uint32_t net : nets)
        for (const std::uint32_t pin : model_.nets[net].pins)
          if (window.size() < most && in.insert(pin).second) window.push_back(pin);
    }
    LoadProgramOptions form;
    form.fixed = slot_of_;
    for (const std::uint32_t unit : window) form.fixed[unit] = kFreeUnit;
    return solve_part(form);
  }

  // What the part must beat: its own largest load, or the value where halves are added.
  double value_of_part(const LoadProgramOptions& form) const {
    if (model_.halves_apart || form.open.empty()) return value_;
    double largest = 0;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
      if (form.open[slot] != 0) largest = std::max(largest, load(slot));
    return largest;
  }

  bool solve_part(LoadProgramOptions& form) {
    const double limit = value_of_part(form);
    form.limit = limit * (1 - kGain);
    form.scale = std::max(limit, 1e-9) / kProgramValue;
    const LoadProgram program = load_program(model_, form);
    if (program.impossible) return false;
    MilpOptions how{.nodes = kMostNodes,
                    .relative_gap = 1e-3,  // a gain now is worth more than the best of the part
                    .tolerance = 1e-8,
                    .seed = static_cast<std::uint32_t>(rng_() & 0xffff),
                    .stop = [&] { return budget_.spent(); }};
    if (const std::optional<double> left = budget_.seconds_left())
      how.seconds = std::min(*left, options_.seconds);
    const MilpSolution solution = solve(program.milp, how);
    budget_.count(1 + solution.nodes);
    if (!solution.has_values()) return false;
    return accept(program.read(solution.values.items()), form, limit);
  }

  bool accept(SlotOfUnit found, const LoadProgramOptions& form, double limit) {
    SlotOfUnit before = std::move(slot_of_);
    const double value_before = value_;
    slot_of_ = std::move(found);
    weigh();
    if (!(value_of_part(form) < limit) || value_ > value_before) {
      slot_of_ = std::move(before);
      weigh();
      return false;
    }
    for (std::size_t unit = 0; unit < slot_of_.size(); ++unit)
      if (slot_of_[unit] != before[unit])
        version_[slot_of_[unit]] = version_[before[unit]] = ++changes_;
    if (value_ < value_before && improved_) improved_(slot_of_);
    return true;
  }

  const LoadModel& model_;
  const LargeNeighbourhoodOptions& options_;
  Budget& budget_;
  Rng rng_;
  const std::function<void(const SlotOfUnit&)>& improved_;
  std::vector<Slot> slots_;
  SlotOfUnit slot_of_;
  std::vector<LoadModel::Halves> loads_;
  std::vector<std::size_t> held_;
  double value_ = 0;
  std::vector<std::uint64_t> version_;
  std::uint64_t changes_ = 0;
  std::map<SlotSet, std::vector<std::uint64_t>> in_vain_;
};

}  // namespace

SlotOfUnit large_neighbourhood_search(const LoadModel& model, SlotOfUnit start,
                                      const LargeNeighbourhoodOptions& options, Budget& budget,
                                      Rng rng,
                                      const std::function<void(const SlotOfUnit&)>& improved) {
  return Search(model, std::move(start), options, budget, rng, improved).run();
}

}  // namespace berth
