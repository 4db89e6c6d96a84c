#include "berth/place/load/chain_program.h"

#include <cmath>
#include <set>

namespace berth {
namespace {

class Writer {
 public:
  Writer(const LoadModel& model, double limit, double scale) : model_(model), limit_(limit) {
    program_.scale = scale;
    for (const DeviceClass& c : model.classes) program_.positions += c.count();
    halves_ = model.halves_apart ? 2 : 1;
  }

  ChainProgram write() {
    add_values();
    add_units();
    add_kappa();
    for (std::size_t d = 0; d < program_.positions; ++d) {
      for (std::size_t h = 0; h < halves_; ++h) add_loads(d, h);
      add_memory(d);
      add_support(d);
      add_apart(d);
    }
    return std::move(program_);
  }

 private:
  MilpModel& milp() { return program_.milp; }
  double scaled(double micros) const { return micros / program_.scale; }
  VariableId x(std::size_t unit, std::size_t d) const {
    return program_.x[unit * program_.positions + d];
  }
  VariableId kappa(std::size_t d, std::size_t c) const {
    return program_.kappa[d * model_.classes.size() + c];
  }

  // Open at the top: see milp_check.h.
  void add_values() {
    for (std::size_t h = 0; h < halves_; ++h)
      largest_[h] = milp().add_variable({.lower = 0, .upper = kNoLimit, .cost = 1});
  }

  void add_units() {
    const std::size_t last = program_.positions - 1;
    std::vector<VariableId> y;
    for (std::size_t unit = 0; unit < model_.unit_count(); ++unit) {
      std::vector<Term> one;
      for (std::size_t d = 0; d < program_.positions; ++d) {
        program_.x.push_back(milp().add_binary());
        one.push_back({program_.x.back(), 1});
      }
      milp().add_row(1, 1, one);
      for (std::size_t d = 0; d < last; ++d) {
        y.push_back(milp().add_variable({.lower = 0, .upper = 1}));
        if (d == 0)
          milp().add_row(0, 0, {{y.back(), 1}, {x(unit, 0), -1}});
        else
          milp().add_row(0, 0, {{y.back(), 1}, {y[y.size() - 2], -1}, {x(unit, d), -1}});
      }
    }
    for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
      for (const std::uint32_t next : model_.units[unit].after)
        for (std::size_t d = 0; d < last; ++d)
          milp().add_row(0, kNoLimit, {{y[unit * last + d], 1}, {y[next * last + d], -1}});
  }

  void add_kappa() {
    const std::size_t classes = model_.classes.size();
    for (std::size_t d = 0; d < program_.positions; ++d) {
      std::vector<Term> one;
      for (std::size_t c = 0; c < classes; ++c) {
        program_.kappa.push_back(milp().add_binary());
        one.push_back({program_.kappa.back(), 1});
      }
      milp().add_row(1, 1, one);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<Term> all;
      for (std::size_t d = 0; d < program_.positions; ++d) all.push_back({kappa(d, c), 1});
      const double count = static_cast<double>(model_.classes[c].count());
      milp().add_row(count, count, all);
    }
  }

  // The most compute of class c in a piece that another class takes within the limit.
  double most_compute(std::size_t c, std::size_t half) const {
    double total = 0;
    for (const LoadModel::Unit& unit : model_.units)
      if (std::isfinite(unit.time[c][0])) total += unit.time[c][half];
    double ratio = 0;
    for (std::size_t other = 0; other < model_.classes.size(); ++other) {
      if (other == c) continue;
      for (const LoadModel::Unit& unit : model_.units) {
        const double mine = unit.time[c][half], theirs = unit.time[other][half];
        if (!std::isfinite(unit.time[c][0]) || !std::isfinite(unit.time[other][0]) || mine <= 0)
          continue;
        ratio = std::max(ratio, theirs > 0 ? mine / theirs : kNoLimit);
      }
    }
    return std::isfinite(limit_) && std::isfinite(ratio) ? std::min(total, ratio * limit_) : total;
  }

  struct Cut {
    const LoadModel::Net* net;
    VariableId in, out;  // the same where one stands for both
  };
  std::vector<Cut> add_cuts(std::size_t d, std::size_t half) {
    std::vector<Cut> cuts;
    if (model_.prices == 0) return cuts;
    for (const LoadModel::Net& net : model_.nets) {
      if (net.half != half) continue;
      const bool both = net.read == net.write && model_.overlap != Overlap::kDuplex;
      const VariableId in = milp().add_variable({.lower = 0, .upper = 1});
      const VariableId out = both ? in : milp().add_variable({.lower = 0, .upper = 1});
      for (const std::uint32_t pin : net.pins) {
        if (pin == net.producer) continue;
        milp().add_excess(out, x(net.producer, d), x(pin, d));
        milp().add_excess(in, x(pin, d), x(net.producer, d));
      }
      cuts.push_back({&net, in, out});
    }
    return cuts;
  }

  // A part of a load, and the most that it comes to.
  struct Part {
    std::vector<Term> terms{};
    double most = 0;
    void append(const Part& more) {
      terms.insert(terms.end(), more.terms.begin(), more.terms.end());
      most += more.most;
    }
  };

  void add_loads(std::size_t d, std::size_t half) {
    const std::vector<Cut> cuts = add_cuts(d, half);
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      Part compute{{}, most_compute(c, half)}, reads, writes;
      for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
        if (std::isfinite(model_.units[unit].time[c][0]))
          compute.terms.push_back({x(unit, d), scaled(model_.units[unit].time[c][half])});
      if (const int price = model_.classes[c].price; price >= 0)
        for (const Cut& cut : cuts) {
          const double read = cut.net->read[static_cast<std::size_t>(price)];
          const double write = cut.net->write[static_cast<std::size_t>(price)];
          reads.append({{{cut.in, scaled(read)}}, read});
          if (cut.in != cut.out) writes.append({{{cut.out, scaled(write)}}, write});
        }
      if (model_.overlap == Overlap::kSum) {
        compute.append(reads);
        compute.append(writes);
        add_relaxed(d, c, half, std::move(compute));
        continue;
      }
      add_relaxed(d, c, half, std::move(compute));
      if (model_.overlap == Overlap::kMax) reads.append(std::exchange(writes, {}));
      add_relaxed(d, c, half, std::move(reads));
      add_relaxed(d, c, half, std::move(writes));
    }
  }

  // T >= part - most (1 - kappa).
  void add_relaxed(std::size_t d, std::size_t c, std::size_t half, Part part) {
    if (part.terms.empty()) return;
    const double room = scaled(part.most);
    part.terms.push_back({largest_[half], -1});
    part.terms.push_back({kappa(d, c), room});
    milp().add_row(-kNoLimit, room, part.terms);
  }

  std::vector<VariableId> shared_weights_at(std::size_t d) {
    std::vector<VariableId> present;
    for (const LoadModel::SharedWeight& shared : model_.shared_weights) {
      std::vector<VariableId> users;
      for (const std::uint32_t unit : shared.units) users.push_back(x(unit, d));
      present.push_back(milp().add_any(users));
    }
    return present;
  }

  void add_memory(std::size_t d) {
    std::int64_t total = 0, most_workspace = 0;
    for (const LoadModel::Unit& unit : model_.units) {
      total += unit.bytes;
      most_workspace = std::max(most_workspace, unit.workspace);
    }
    std::vector<VariableId> present;  // of each shared weight, made when first needed
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const std::optional<std::int64_t>& limit = model_.classes[c].memory;
      if (!limit || total + most_workspace <= *limit) continue;
      const double room = static_cast<double>(std::max<std::int64_t>(*limit, 1));
      std::vector<Term> terms;
      for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
        terms.push_back({x(unit, d), static_cast<double>(model_.units[unit].private_bytes) / room});
      if (present.empty()) present = shared_weights_at(d);
      for (std::size_t s = 0; s < present.size(); ++s)
        terms.push_back({present[s], static_cast<double>(model_.shared_weights[s].bytes) / room});
      if (most_workspace > 0) {
        const double most = static_cast<double>(most_workspace) / room;
        const VariableId workspace = milp().add_variable({.lower = 0, .upper = most});
        for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
          if (model_.units[unit].workspace > 0)
            milp().add_row(
                0, kNoLimit,
                {{workspace, 1},
                 {x(unit, d), -static_cast<double>(model_.units[unit].workspace) / room}});
        terms.push_back({workspace, 1});
      }
      const double here = static_cast<double>(*limit) / room;
      const double above = static_cast<double>(total + most_workspace) / room - here;
      terms.push_back({kappa(d, c), above});
      milp().add_row(-kNoLimit, here + above, terms);
    }
  }

  // A unit and a class that cannot take it, or not within the limit, are not at one position.
  void add_support(std::size_t d) {
    for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
      for (std::size_t c = 0; c < model_.classes.size(); ++c) {
        const LoadModel::Unit& facts = model_.units[unit];
        const std::optional<std::int64_t>& memory = model_.classes[c].memory;
        const bool may = std::isfinite(facts.time[c][0]) &&
                         facts.time[c][0] + facts.time[c][1] <= limit_ &&
                         (!memory || facts.bytes + facts.workspace <= *memory);
        if (!may) milp().add_row(-kNoLimit, 1, {{x(unit, d), 1}, {kappa(d, c), 1}});
      }
  }

  void add_apart(std::size_t d) {
    for (std::uint32_t set = 0; set < model_.apart_sets; ++set) {
      std::vector<Term> terms;
      for (std::size_t unit = 0; unit < model_.unit_count(); ++unit)
        for (const std::uint32_t in : model_.units[unit].apart)
          if (in == set) terms.push_back({x(unit, d), 1});
      if (!terms.empty()) milp().add_row(-kNoLimit, 1, terms);
    }
  }

  const LoadModel& model_;
  double limit_;
  ChainProgram program_;
  std::size_t halves_ = 1;
  VariableId largest_[2]{};
};

}  // namespace

ChainProgram chain_program(const LoadModel& model, double limit, double scale) {
  return Writer(model, limit, scale).write();
}

SlotOfUnit ChainProgram::read(const LoadModel& model, std::span<const double> values) const {
  const std::size_t classes = model.classes.size();
  std::vector<std::uint32_t> first{0};  // slot of each class
  for (const DeviceClass& c : model.classes)
    first.push_back(first.back() + static_cast<std::uint32_t>(c.count()));
  std::vector<std::uint32_t> slot(positions, 0);
  for (std::size_t d = 0; d < positions; ++d) {
    std::size_t c = 0;
    while (c + 1 < classes && values[index(kappa[d * classes + c])] < 0.5) ++c;
    slot[d] = first[c]++;
  }
  SlotOfUnit slot_of(model.unit_count(), 0);
  for (std::size_t unit = 0; unit < slot_of.size(); ++unit)
    for (std::size_t d = 0; d < positions; ++d)
      if (values[index(x[unit * positions + d])] > 0.5) slot_of[unit] = slot[d];
  return slot_of;
}

std::vector<double> ChainProgram::start(const LoadModel& model, const SlotOfUnit& slot_of) const {
  const std::vector<Slot> slots = slots_of(model);
  // Slots in the order of the graph: one follows when all that feed it have.
  std::vector<std::set<std::uint32_t>> fed_by(slots.size());
  for (std::uint32_t unit = 0; unit < slot_of.size(); ++unit)
    for (const std::uint32_t next : model.units[unit].after)
      if (slot_of[unit] != slot_of[next]) fed_by[slot_of[next]].insert(slot_of[unit]);
  std::vector<std::uint32_t> order;
  const auto placed = [&](std::uint32_t slot) { return std::ranges::count(order, slot) > 0; };
  while (order.size() < slots.size()) {
    std::uint32_t next = 0;
    while (next < slots.size() && (placed(next) || !std::ranges::all_of(fed_by[next], placed)))
      ++next;
    if (next == slots.size()) return {};
    order.push_back(next);
  }
  std::vector<double> values(milp.variable_count(), std::nan(""));
  for (std::size_t d = 0; d < positions; ++d) {
    for (std::size_t unit = 0; unit < slot_of.size(); ++unit)
      values[index(x[unit * positions + d])] = slot_of[unit] == order[d] ? 1.0 : 0.0;
    for (std::size_t c = 0; c < model.classes.size(); ++c)
      values[index(kappa[d * model.classes.size() + c])] =
          slots[order[d]].device_class == c ? 1.0 : 0.0;
  }
  return values;
}

}  // namespace berth
