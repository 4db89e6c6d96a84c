#include "berth/place/latency/call_chain.h"

#include "berth/graph/ideal_walk.h"

namespace berth {
namespace {

class ChainOverIdeals {
 public:
  ChainOverIdeals(const CallModel& model, const ChainCosts& costs, double limit,
                  std::size_t most_bytes, const Budget& budget)
      : model_(model),
        costs_(costs),
        limit_(limit),
        most_bytes_(most_bytes),
        budget_(budget),
        load_(model.loads),
        order_(unit_order(model.loads)),
        walk_(order_, IdealWalk::Direction::kUp),
        table_(model.loads.unit_count()),
        in_call_(model.loads.unit_count(), 0),
        layers_(model.loads.unit_count() + 1) {}

  // False when memory or the budget ran out.
  bool run() {
    walk_.enter(std::vector<std::uint64_t>(table_.words(), 0));
    offer(0, 0, 0, IdealTable::kNone, kOnCpu);
    for (std::size_t size = 0; size < model_.loads.unit_count(); ++size) {
      for (const std::uint32_t ideal : layers_[size]) {
        if (stopped_ || budget_.spent()) return false;
        expand(ideal);
      }
      layers_[size] = {};
    }
    return !stopped_;
  }

  // The best chain below the limit, after a run that ended by itself.
  std::optional<CallChain> best() const {
    if (layers_.back().empty()) return std::nullopt;
    std::uint32_t ideal = layers_.back().front();
    const auto row = value_.begin() + static_cast<std::ptrdiff_t>(ideal * model_.states);
    std::size_t state = static_cast<std::size_t>(
        std::min_element(row, row + static_cast<std::ptrdiff_t>(model_.states)) - row);
    CallChain chain;
    chain.cost = value_[ideal * model_.states + state];
    while (ideal != 0) {
      const std::size_t at = ideal * model_.states + state;
      CallChain::Step& step = chain.steps.emplace_back();
      step.accelerator = accelerator_[at];
      for (std::uint32_t u = 0; u < model_.loads.unit_count(); ++u)
        if (holds(table_.bits(ideal), u) && !holds(table_.bits(from_[at]), u))
          step.units.push_back(u);
      if (accelerator_[at] != kOnCpu) state -= model_.in_use.stride[accelerator_[at]];
      ideal = from_[at];
    }
    return chain;
  }

  std::size_t ideals() const { return table_.size(); }

 private:
  static bool holds(std::span<const std::uint64_t> bits, std::uint32_t unit) {
    return (bits[unit / 64] >> (unit % 64)) & 1;
  }

  // The current set, reached in `state` at `value`.
  void offer(std::size_t state, double value, std::size_t size, std::uint32_t from,
             std::size_t accelerator) {
    if (target_ == IdealTable::kNone) target_ = add_current(size);
    const std::size_t at = target_ * model_.states + state;
    if (!(value < value_[at])) return;
    value_[at] = value;
    from_[at] = from;
    accelerator_[at] = static_cast<std::uint8_t>(accelerator);
  }
  std::uint32_t add_current(std::size_t size) {
    const std::size_t before = table_.size();
    const std::uint32_t ideal = table_.insert(walk_.key(), walk_.bits());
    if (table_.size() == before) return ideal;
    value_.resize(table_.size() * model_.states, kInfinity);
    from_.resize(value_.size(), IdealTable::kNone);
    accelerator_.resize(value_.size(), kOnCpu);
    layers_[size].push_back(ideal);
    const std::size_t bytes = table_.memory() + value_.capacity() * sizeof(double) +
                              from_.capacity() * sizeof(std::uint32_t) + accelerator_.capacity() +
                              4 * table_.size();
    if (bytes > most_bytes_) stopped_ = true;
    return ideal;
  }

  void expand(std::uint32_t ideal) {
    walk_.enter(table_.bits(ideal));
    origin_ = ideal;
    rest_ = 0;
    for (std::uint32_t u = 0; u < model_.loads.unit_count(); ++u)
      if (!walk_.holds(u)) rest_ += costs_.least[u];
    collect_origins(ideal);
    if (!(least_ + rest_ < limit_)) return;
    for (const std::uint32_t unit : walk_.candidates()) {
      const double time = costs_.cpu[unit];
      if (!(least_ + time + rest_ - costs_.least[unit] < limit_)) continue;
      walk_.flip(unit);
      target_ = IdealTable::kNone;
      for (const Origin& origin : origins_)
        offer(origin.state, origin.value + time, walk_.size() + 1, ideal, kOnCpu);
      walk_.flip(unit);
    }
    load_.start_beside(walk_.bits());
    calls_.assign(1, {.rest = rest_, .weight = costs_.enter.empty() ? 1.0 : 0.0});
    walk_.grow(*this);
    if (stopped_) std::fill(in_call_.begin(), in_call_.end(), std::uint8_t{0});
  }

  // The states worth leaving from: those that no other beats in value and accelerators left.
  void collect_origins(std::uint32_t ideal) {
    origins_.clear();
    least_ = kInfinity;
    const double* const row = &value_[ideal * model_.states];
    for (std::size_t s = 0; s < model_.states; ++s) {
      if (!(row[s] + rest_ < limit_)) continue;
      const bool beaten = std::any_of(origins_.begin(), origins_.end(), [&](const Origin& other) {
        if (other.value > row[s]) return false;
        for (std::size_t a = 0; a < model_.accelerators.size(); ++a)
          if (model_.in_use.used(other.state, a) > model_.in_use.used(s, a)) return false;
        return true;
      });
      if (beaten) continue;
      origins_.push_back({s, row[s]});
      least_ = std::min(least_, row[s]);
    }
  }

  // What the walk asks (graph/ideal_walk.h): the units added make one call.
  friend class berth::IdealWalk;
  bool take(std::uint32_t unit) {
    const Call call{.rest = calls_.back().rest - costs_.least[unit],
                    .weight = calls_.back().weight + weight_of(unit)};
    load_.add(unit);
    if (!may_grow(call.rest, call.weight)) {
      load_.remove();
      return false;
    }
    calls_.push_back(call);
    in_call_[unit] = 1;
    return true;
  }
  bool reached() {
    reach(calls_.back().rest, calls_.back().weight);
    return !stopped_;
  }
  void give_back(std::uint32_t unit) {
    in_call_[unit] = 0;
    calls_.pop_back();
    load_.remove();
  }

  // The flow that the unit brings to the call: what does not come from within.
  double weight_of(std::uint32_t unit) const {
    if (costs_.enter.empty()) return 0;
    double brought = costs_.enter[unit];
    const std::vector<std::uint32_t>& before = model_.loads.units[unit].before;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (in_call_[before[i]] != 0) brought -= costs_.from[unit][i];
    return std::max(0.0, brought);
  }

  bool may_grow(double rest, double weight) const {
    for (const std::uint32_t c : model_.accelerators)
      if (load_.memory_fits(c) && least_ + weighted(weight, load_.monotone_load(c)) + rest < limit_)
        return true;
    return false;
  }
  // A device that may not run a unit is out of the question even where nothing flows.
  static double weighted(double weight, double load) {
    return load < kInfinity ? weight * load : kInfinity;
  }

  void reach(double rest, double weight) {
    target_ = IdealTable::kNone;
    for (std::size_t a = 0; a < model_.accelerators.size(); ++a) {
      const std::uint32_t c = model_.accelerators[a];
      if (!load_.memory_fits(c)) continue;
      const double own = weighted(weight, load_.load(c));
      for (const Origin& origin : origins_)
        if (origin.value + own + rest < limit_ && model_.in_use.left(origin.state, a) > 0)
          offer(origin.state + model_.in_use.stride[a], origin.value + own, walk_.size(), origin_,
                a);
    }
  }

  struct Origin {
    std::size_t state;
    double value;
  };
  struct Call {
    double rest, weight;  // time no split avoids outside the set; the flow through the call
  };

  const CallModel& model_;
  const ChainCosts& costs_;
  double limit_;
  std::size_t most_bytes_;
  const Budget& budget_;
  PieceLoad load_;
  UnitOrder order_;
  IdealWalk walk_;
  IdealTable table_;
  std::vector<std::uint8_t> in_call_;
  std::vector<Call> calls_;                         // as it grew, unit by unit
  std::vector<std::vector<std::uint32_t>> layers_;  // ideals by size
  std::vector<double> value_;                       // f
  std::vector<std::uint32_t> from_;                 // the ideal before
  std::vector<std::uint8_t> accelerator_;           // what the units between run on
  std::vector<Origin> origins_;
  double least_ = kInfinity, rest_ = 0;  // over origins; time no split avoids outside the set
  std::uint32_t origin_ = 0, target_ = IdealTable::kNone;
  bool stopped_ = false;
};

std::vector<std::uint32_t> classes_that_call(const LoadModel& loads) {
  std::vector<std::uint32_t> classes;
  for (std::uint32_t c = 0; c < loads.classes.size(); ++c)
    if (loads.classes[c].price >= 0) classes.push_back(c);
  return classes;
}

std::vector<std::size_t> calls_of(const LoadModel& loads, const std::vector<std::uint32_t>& classes,
                                  std::size_t calls) {
  std::vector<std::size_t> most;
  for (const std::uint32_t c : classes) most.push_back(loads.classes[c].count() * calls);
  return most;
}

}  // namespace

CallModel::CallModel(LoadModel model, std::size_t calls_each)
    : loads(std::move(model)),
      calls(calls_each),
      accelerators(classes_that_call(loads)),
      in_use(calls_of(loads, accelerators, calls)),
      states(in_use.count) {
  for (const LoadModel::Unit& unit : loads.units) {
    double least = kInfinity, cpu = kInfinity;
    DeviceId device{};
    for (std::size_t c = 0; c < loads.classes.size(); ++c) {
      const double time = unit.time[c][0];
      least = std::min(least, time);
      if (loads.classes[c].price >= 0 || !(time < cpu)) continue;
      cpu = time;
      device = loads.classes[c].devices.front();
    }
    cpu_time.push_back(cpu);
    least_time.push_back(least);
    cpu_device.push_back(device);
  }
}

Problem with_call_loads(const Problem& problem) {
  return problem.with_model({MaxLoad{.route = Route::kHost}, problem.model().max_subgraphs});
}

Placement placement_of(const Problem& problem, const CallModel& model, const CallChain& chain) {
  std::vector<DeviceId> device_of(model.loads.unit_count());
  struct Held {
    std::size_t calls = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Held> held(problem.device_count());
  for (std::size_t i = chain.steps.size(); i-- > 0;) {
    const CallChain::Step& step = chain.steps[i];
    if (step.accelerator == kOnCpu) {
      for (const std::uint32_t unit : step.units) device_of[unit] = model.cpu_device[unit];
      continue;
    }
    std::int64_t bytes = 0;
    for (const std::uint32_t unit : step.units) bytes += model.loads.units[unit].bytes;
    const DeviceClass& kind = model.loads.classes[model.accelerators[step.accelerator]];
    DeviceId device = kind.devices.back();
    for (const DeviceId candidate : kind.devices) {
      const Held& there = held[index(candidate)];
      if (there.calls >= model.calls || (kind.memory && there.bytes + bytes > *kind.memory))
        continue;
      device = candidate;
      break;
    }
    ++held[index(device)].calls;
    held[index(device)].bytes += bytes;
    for (const std::uint32_t unit : step.units) device_of[unit] = device;
  }
  return to_placement(problem, model.loads, device_of);
}

ChainSearch cheapest_chain(const CallModel& model, const ChainCosts& costs, double limit,
                           std::size_t most_bytes, const Budget& budget) {
  ChainOverIdeals search(model, costs, limit, most_bytes, budget);
  ChainSearch result;
  result.complete = search.run();
  result.ideals = search.ideals();
  if (result.complete) result.best = search.best();
  return result;
}

}  // namespace berth
