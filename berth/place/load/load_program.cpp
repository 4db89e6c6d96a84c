#include "berth/place/load/load_program.h"

#include <cmath>
#include <numeric>

#include "berth/place/load/piece_load.h"

namespace berth {
namespace {

// A pin's share of a slot: a variable, or 0 or 1 where it is known.
struct Share {
  std::optional<VariableId> variable;
  double known = 0;
};

class Writer {
 public:
  Writer(const LoadModel& model, const LoadProgramOptions& options)
      : model_(model), options_(options), slots_(slots_of(model)) {
    program_.scale = options.scale;
    program_.slots = slots_.size();
    program_.fixed =
        options.fixed.empty() ? SlotOfUnit(model.unit_count(), kFreeUnit) : options.fixed;
    halves_ = model.halves_apart ? 2 : 1;
  }

  LoadProgram write() {
    add_values();
    add_units();
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
      if (is_open(slot)) add_slot(slot);
    return std::move(program_);
  }

 private:
  bool is_open(std::uint32_t slot) const {
    return options_.open.empty() || options_.open[slot] != 0;
  }
  double scaled(double micros) const { return micros / options_.scale; }
  MilpModel& milp() { return program_.milp; }

  void add_values() {
    const double top = options_.open_top ? kNoLimit : scaled(options_.limit);
    std::vector<Term> sum;
    for (std::size_t h = 0; h < halves_; ++h) {
      largest_[h] = milp().add_variable({.lower = 0, .upper = top, .cost = 1});
      sum.push_back({largest_[h], 1});
    }
    if (halves_ == 2 && std::isfinite(top)) milp().add_row(-kNoLimit, top, sum);
  }

  bool may_use(std::uint32_t unit, std::uint32_t slot) const {
    const LoadModel::Unit& facts = model_.units[unit];
    const DeviceClass& c = model_.classes[slots_[slot].device_class];
    const LoadModel::Halves& time = facts.time[slots_[slot].device_class];
    if (!is_open(slot) || !std::isfinite(time[0]) || time[0] + time[1] > options_.limit)
      return false;
    return !c.memory || facts.bytes + facts.workspace <= *c.memory;
  }

  // Free units by falling time, fixed ones after them.
  std::vector<std::uint32_t> symmetry_order() const {
    std::vector<std::uint32_t> order(model_.unit_count());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t unit) {
      const auto time = std::ranges::find_if(
          model_.units[unit].time,
          [](const LoadModel::Halves& halves) { return std::isfinite(halves[0]); });
      const double longest = time == model_.units[unit].time.end() ? 0 : (*time)[0] + (*time)[1];
      return std::pair(program_.fixed[unit] != kFreeUnit, -longest);
    });
    return order;
  }

  void add_units() {
    // A slot that holds a fixed unit is unlike the others of its class.
    std::vector<std::uint8_t> marked(slots_.size(), 0);
    for (const std::uint32_t slot : program_.fixed)
      if (slot != kFreeUnit) marked[slot] = 1;
    std::vector<std::uint32_t> nth(slots_.size(), 0);  // among the interchangeable ones
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
      for (std::uint32_t before = 0; before < slot && marked[slot] == 0; ++before)
        nth[slot] += slots_[before].device_class == slots_[slot].device_class && is_open(before) &&
                     marked[before] == 0;
    const std::vector<std::uint32_t> order = symmetry_order();
    program_.rank.assign(model_.unit_count(), 0);
    program_.x.assign(model_.unit_count() * slots_.size(), std::nullopt);
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
      const std::uint32_t unit = order[rank];
      program_.rank[unit] = rank;
      if (program_.fixed[unit] != kFreeUnit) continue;
      std::vector<Term> one;
      for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!may_use(unit, slot) || nth[slot] > rank) continue;
        one.push_back({milp().add_binary(), 1});
        program_.x[unit * slots_.size() + slot] = one.back().variable;
      }
      program_.impossible = program_.impossible || one.empty();
      milp().add_row(1, 1, one);
    }
  }

  Share share(std::uint32_t unit, std::uint32_t slot) const {
    if (program_.fixed[unit] != kFreeUnit)
      return {std::nullopt, program_.fixed[unit] == slot ? 1.0 : 0.0};
    return {program_.x[unit * slots_.size() + slot], 0.0};
  }

  // cut >= a - b, or a larger lower end of cut where both are known.
  void add_cut_row(VariableId cut, const Share& a, const Share& b) {
    double known = b.known - a.known;
    std::vector<Term> terms{{cut, 1}};
    if (a.variable) terms.push_back({*a.variable, -1});
    if (b.variable) terms.push_back({*b.variable, 1});
    if (terms.size() == 1) {
      double& lower = milp().variable(cut).lower;
      lower = std::max(lower, -known);
      return;
    }
    if (-known + (a.variable ? 1 : 0) <= 0) return;  // a is 0, or b is 1
    milp().add_row(-known, kNoLimit, terms);
  }

  VariableId add_cut(double least_price) {
    return milp().add_variable({.lower = 0, .upper = least_price > options_.limit ? 0.0 : 1.0});
  }

  // The cut variables of a net on a slot, priced into the sums of reads and writes. One stands for
  // both where they need not be told apart, compared with any fixed pin, else with the producer.
  void add_net(const LoadModel::Net& net, std::uint32_t slot, int price, std::vector<Term>& reads,
               std::vector<Term>& writes) {
    std::vector<Share> shares;
    for (const std::uint32_t pin : net.pins) shares.push_back(share(pin, slot));
    if (std::ranges::all_of(
            shares, [&](const Share& s) { return !s.variable && s.known == shares.front().known; }))
      return;
    const double read = net.read[static_cast<std::size_t>(price)];
    const double write = net.write[static_cast<std::size_t>(price)];
    const bool both = read == write && model_.overlap != Overlap::kDuplex;
    auto hub = shares.begin() + (std::ranges::find(net.pins, net.producer) - net.pins.begin());
    if (both) hub = std::ranges::find_if(shares, [](const Share& s) { return !s.variable; });
    if (hub == shares.end()) hub = shares.begin();
    const VariableId out = add_cut(write), in = both ? out : add_cut(read);
    for (const Share& other : shares) {
      if (&other == &*hub) continue;
      add_cut_row(out, *hub, other);
      add_cut_row(in, other, *hub);
    }
    reads.push_back({in, scaled(read)});
    if (!both) writes.push_back({out, scaled(write)});
  }

  // A sum over the units on a slot: the terms of free ones, and what the fixed ones add to it.
  struct Sum {
    std::vector<Term> terms;
    double known = 0;
  };
  template <class Coefficient>
  Sum sum_over_units(std::uint32_t slot, Coefficient coefficient) const {
    Sum sum;
    for (std::uint32_t unit = 0; unit < model_.unit_count(); ++unit) {
      const Share s = share(unit, slot);
      if (s.variable)
        sum.terms.push_back({*s.variable, coefficient(unit)});
      else if (s.known > 0)
        sum.known += coefficient(unit);
    }
    return sum;
  }
  static void append(std::vector<Term>& to, const std::vector<Term>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  void add_load_row(std::size_t half, std::vector<Term> terms, double known) {
    if (terms.empty() && known <= 0) return;
    terms.push_back({largest_[half], -1});
    milp().add_row(-kNoLimit, -known, terms);
  }

  void add_slot(std::uint32_t slot) {
    const std::uint32_t c = slots_[slot].device_class;
    const int price = model_.classes[c].price;
    for (std::size_t h = 0; h < halves_; ++h) {
      auto [compute, known] = sum_over_units(
          slot, [&](std::uint32_t unit) { return scaled(model_.units[unit].time[c][h]); });
      std::vector<Term> reads, writes;
      if (price >= 0)
        for (const LoadModel::Net& net : model_.nets)
          if (net.half == h) add_net(net, slot, price, reads, writes);
      if (price < 0 || model_.overlap == Overlap::kSum) {
        append(compute, reads);
        append(compute, writes);
        if (c == 0) add_forced(slot, compute);
        add_load_row(h, std::move(compute), known);
        continue;
      }
      add_load_row(h, std::move(compute), known);
      if (model_.overlap == Overlap::kMax) {
        append(reads, writes);
        writes.clear();
      }
      add_load_row(h, std::move(reads), 0);
      add_load_row(h, std::move(writes), 0);
    }
    add_memory(slot);
    add_apart(slot);
  }

  // load >= price of the units - most, where the load is the compute and the cuts given.
  void add_forced(std::uint32_t slot, const std::vector<Term>& load) {
    for (const PieceRow& row : options_.forced) {
      std::vector<Term> terms(load);
      append(terms, sum_over_units(slot, [&](std::uint32_t unit) {
                      return -scaled(row.price[unit]);
                    }).terms);
      milp().add_row(-scaled(row.most), kNoLimit, terms);
    }
  }

  void add_memory(std::uint32_t slot) {
    const std::optional<std::int64_t>& limit = model_.classes[slots_[slot].device_class].memory;
    if (!limit) return;
    const double room = static_cast<double>(std::max<std::int64_t>(*limit, 1));
    std::int64_t most = 0, held = 0, most_workspace = 0, held_workspace = 0;
    std::vector<Term> terms;
    std::vector<std::pair<VariableId, std::int64_t>> workspaces;
    for (std::uint32_t unit = 0; unit < model_.unit_count(); ++unit) {
      const Share s = share(unit, slot);
      const LoadModel::Unit& facts = model_.units[unit];
      if (!s.variable && s.known == 0) continue;
      most += facts.private_bytes;
      most_workspace = std::max(most_workspace, facts.workspace);
      if (s.variable) {
        terms.push_back({*s.variable, static_cast<double>(facts.private_bytes) / room});
        workspaces.emplace_back(*s.variable, facts.workspace);
      } else {
        held += facts.private_bytes;
        held_workspace = std::max(held_workspace, facts.workspace);
      }
    }
    for (const LoadModel::SharedWeight& shared : model_.shared_weights) most += shared.bytes;
    if (most + most_workspace <= *limit) return;
    for (const LoadModel::SharedWeight& shared : model_.shared_weights) {
      std::vector<VariableId> users;
      bool is_held = false;
      for (const std::uint32_t unit : shared.units) {
        const Share s = share(unit, slot);
        if (s.variable) users.push_back(*s.variable);
        is_held = is_held || s.known > 0;
      }
      if (is_held) held += shared.bytes;
      if (!is_held && !users.empty())
        terms.push_back({milp().add_any(users), static_cast<double>(shared.bytes) / room});
    }
    if (most_workspace > held_workspace) {
      const VariableId largest =
          milp().add_variable({.lower = static_cast<double>(held_workspace) / room, .upper = 1});
      for (const auto& [x, bytes] : workspaces)
        if (bytes > held_workspace)
          milp().add_row(0, kNoLimit, {{largest, 1}, {x, -static_cast<double>(bytes) / room}});
      terms.push_back({largest, 1});
    } else {
      held += held_workspace;
    }
    milp().add_row(-kNoLimit, (static_cast<double>(*limit) - static_cast<double>(held)) / room,
                   terms);
  }

  void add_apart(std::uint32_t slot) {
    for (std::uint32_t set = 0; set < model_.apart_sets; ++set) {
      std::vector<Term> terms;
      double known = 0;
      for (std::uint32_t unit = 0; unit < model_.unit_count(); ++unit) {
        const std::vector<std::uint32_t>& sets = model_.units[unit].apart;
        // A unit that is in a set twice has two members that cannot part.
        const auto times = std::ranges::count(sets, set);
        if (times == 0) continue;
        const Share s = share(unit, slot);
        if (s.variable) terms.push_back({*s.variable, static_cast<double>(times)});
        known += s.known * static_cast<double>(times);
      }
      if (!terms.empty()) milp().add_row(-kNoLimit, 1 - known, terms);
    }
  }

  const LoadModel& model_;
  const LoadProgramOptions& options_;
  std::vector<Slot> slots_;
  LoadProgram program_;
  std::size_t halves_ = 1;
  VariableId largest_[2]{};
};

}  // namespace

LoadProgram load_program(const LoadModel& model, const LoadProgramOptions& options) {
  return Writer(model, options).write();
}

std::vector<Slot> slots_of(const LoadModel& model) {
  std::vector<Slot> slots;
  for (std::uint32_t c = 0; c < model.classes.size(); ++c)
    for (const DeviceId device : model.classes[c].devices) slots.push_back({c, device});
  return slots;
}

std::vector<LoadModel::Halves> slot_loads(const LoadModel& model, const SlotOfUnit& slot_of) {
  const std::vector<Slot> slots = slots_of(model);
  std::vector<std::vector<std::uint32_t>> held(slots.size());
  for (std::uint32_t unit = 0; unit < slot_of.size(); ++unit) held[slot_of[unit]].push_back(unit);
  std::vector<LoadModel::Halves> loads(slots.size(), {0.0, 0.0});
  PieceLoad load(model);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    load.start();
    for (const std::uint32_t unit : held[slot]) load.add(unit);
    for (std::size_t h = 0; h < load.halves(); ++h)
      loads[slot][h] = load.load(slots[slot].device_class, h);
  }
  return loads;
}

double value_of_loads(std::span<const LoadModel::Halves> loads) {
  LoadModel::Halves largest{0.0, 0.0};
  for (const LoadModel::Halves& load : loads)
    for (std::size_t h = 0; h < 2; ++h) largest[h] = std::max(largest[h], load[h]);
  return largest[0] + largest[1];
}

SlotOfUnit slots_of_placement(const LoadModel& model, const Placement& placement) {
  const std::vector<Slot> slots = slots_of(model);
  SlotOfUnit slot_of;
  for (const DeviceId device : devices_of_units(model, placement))
    slot_of.push_back(static_cast<std::uint32_t>(std::ranges::find(slots, device, &Slot::device) -
                                                 slots.begin()));
  return slot_of;
}

Placement placement_of_slots(const Problem& problem, const LoadModel& model,
                             const SlotOfUnit& slot_of) {
  const std::vector<Slot> slots = slots_of(model);
  std::vector<DeviceId> devices;
  for (const std::uint32_t slot : slot_of) devices.push_back(slots[slot].device);
  return to_placement(problem, model, devices);
}

SlotOfUnit LoadProgram::renamed(const LoadModel& model, const SlotOfUnit& slot_of) const {
  const std::vector<Slot> all = slots_of(model);
  std::vector<std::uint8_t> marked(slots, 0), taken(slots, 0);
  for (const std::uint32_t slot : fixed)
    if (slot != kFreeUnit) marked[slot] = 1;
  std::vector<std::uint32_t> order(slot_of.size());
  for (std::uint32_t unit = 0; unit < slot_of.size(); ++unit) order[rank[unit]] = unit;
  std::vector<std::uint8_t> open(slots, 0);
  for (std::size_t at = 0; at < x.size(); ++at)
    if (x[at]) open[at % slots] = 1;
  SlotOfUnit name(slots, kFreeUnit), result(slot_of);
  for (const std::uint32_t unit : order) {
    if (fixed[unit] != kFreeUnit) continue;
    const std::uint32_t from = slot_of[unit];
    if (marked[from] != 0) continue;
    if (name[from] == kFreeUnit)
      for (std::uint32_t to = 0; to < slots; ++to)
        if (all[to].device_class == all[from].device_class && marked[to] == 0 && taken[to] == 0 &&
            open[to] != 0) {
          name[from] = to;
          taken[to] = 1;
          break;
        }
    if (name[from] != kFreeUnit) result[unit] = name[from];
  }
  return result;
}

std::vector<double> LoadProgram::start(const SlotOfUnit& slot_of) const {
  std::vector<double> values(milp.variable_count(), std::nan(""));
  for (std::size_t at = 0; at < x.size(); ++at)
    if (x[at]) values[index(*x[at])] = slot_of[at / slots] == at % slots ? 1.0 : 0.0;
  return values;
}

SlotOfUnit LoadProgram::read(std::span<const double> values) const {
  SlotOfUnit result = fixed;
  for (std::size_t unit = 0; unit < fixed.size(); ++unit) {
    if (fixed[unit] != kFreeUnit) continue;
    double most = -1;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::optional<VariableId>& variable = x[unit * slots + slot];
      if (!variable || values[index(*variable)] <= most) continue;
      most = values[index(*variable)];
      result[unit] = slot;
    }
  }
  return result;
}

}  // namespace berth
