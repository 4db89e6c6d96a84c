#include "berth/place/exact/latency_dp.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "berth/graph/ideals.h"
#include "berth/place/exact/linear_dp.h"
#include "berth/place/exact/load_model.h"
#include "berth/place/exact/piece_load.h"
#include "berth/place/search_state.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// How far above the best a split's serial time may be for its true latency to be worth a look.
constexpr double kWorthJudging = 1.02;
constexpr double kBelow = 1 - 1e-9;  // a limit just below a value, above the rounding of sums

// What the recurrence needs beside the loads: accelerators used per class as one number, and the best
// CPU for each unit. CPUs have no calls and no number.
struct SerialModel {
  static constexpr std::size_t kTooManyStates = std::size_t{1} << 40;

  explicit SerialModel(const Problem& problem) : loads(load_model(problem, {.merge_bytes = true})) {
    for (std::uint32_t c = 0; c < loads.classes.size(); ++c) {
      if (loads.classes[c].price < 0) continue;
      accelerators.push_back(c);
      stride.push_back(states);
      states = std::min(states * (loads.classes[c].count() + 1), kTooManyStates);
    }
    for (const LoadModel::Unit& unit : loads.units) {
      double least = kInfinity, cpu = kInfinity;
      DeviceId device{};
      for (const DeviceClass& c : loads.classes) {
        const double time = unit.time[static_cast<std::size_t>(&c - loads.classes.data())][0];
        least = std::min(least, time);
        if (c.price >= 0 || !(time < cpu)) continue;
        cpu = time;
        device = c.devices.front();
      }
      least_time.push_back(least);
      cpu_time.push_back(cpu);
      cpu_device.push_back(device);
    }
  }
  std::size_t used(std::size_t state, std::size_t a) const {
    return state / stride[a] % (limit(a) + 1);
  }
  std::size_t limit(std::size_t a) const { return loads.classes[accelerators[a]].count(); }
  bool has_room(std::size_t state, std::size_t a) const { return used(state, a) < limit(a); }

  LoadModel loads;
  std::vector<std::uint32_t> accelerators;  // classes that make calls
  std::vector<std::size_t> stride;          // of each in a state
  std::size_t states = 1;
  std::vector<double> least_time, cpu_time;  // by unit
  std::vector<DeviceId> cpu_device;
};

constexpr std::uint8_t kOnCpu = 255;

struct Split {
  double serial = kInfinity;
  std::vector<DeviceId> device_of;  // by unit
};

// Puts the units of a call on the next accelerator of its class, or each on its CPU.
class SplitBuilder {
 public:
  explicit SplitBuilder(const SerialModel& model)
      : model_(model), next_(model.accelerators.size(), 0) {
    split_.device_of.resize(model.loads.unit_count());
  }
  template <class Units>
  void add(const Units& units, std::uint8_t accelerator) {
    const DeviceId* const device =
        accelerator == kOnCpu
            ? nullptr
            : &model_.loads.classes[model_.accelerators[accelerator]].devices[next_[accelerator]++];
    for (const std::uint32_t unit : units)
      split_.device_of[unit] = device != nullptr ? *device : model_.cpu_device[unit];
  }
  Split finish(double serial) {
    split_.serial = serial;
    return std::move(split_);
  }

 private:
  const SerialModel& model_;
  std::vector<std::size_t> next_;
  Split split_;
};

// ---- along one order ----

// The best serial split along the order, if below `limit`.
std::optional<Split> serial_split(const SerialModel& model, const std::vector<std::uint32_t>& order,
                                  double limit, const Budget& budget) {
  const std::size_t n = order.size(), states = model.states;
  struct Step {
    std::uint32_t from = 0;
    std::uint8_t accelerator = kOnCpu;
  };
  std::vector<double> best((n + 1) * states, kInfinity), rest(n + 1, 0);
  std::vector<Step> step((n + 1) * states);
  for (std::size_t i = n; i-- > 0;) rest[i] = rest[i + 1] + model.least_time[order[i]];
  best[0] = 0;
  PieceLoad load(model.loads);
  std::vector<std::uint8_t> outside(model.loads.nets.size(), 0);
  const auto offer = [&](std::size_t to, double value, std::size_t from, std::size_t accelerator) {
    if (!(value < best[to])) return;
    best[to] = value;
    step[to] = {static_cast<std::uint32_t>(from), static_cast<std::uint8_t>(accelerator)};
  };
  for (std::size_t j = 0; j < n; ++j) {
    if (budget.spent()) return std::nullopt;
    const double* const from = &best[j * states];
    const double least = *std::min_element(from, from + states);
    if (least + rest[j] < limit) {
      for (std::size_t s = 0; s < states; ++s)
        offer((j + 1) * states + s, from[s] + model.cpu_time[order[j]], j, kOnCpu);
      load.start(outside);
      for (std::size_t i = j + 1; i <= n; ++i) {
        load.add(order[i - 1]);
        bool alive = false;
        for (std::size_t a = 0; a < model.accelerators.size(); ++a) {
          const std::uint32_t c = model.accelerators[a];
          if (!load.memory_fits(c) || !(least + load.monotone_load(c) + rest[i] < limit)) continue;
          alive = true;
          const double own = load.load(c);
          for (std::size_t s = 0; s < states; ++s)
            if (from[s] < kInfinity && model.has_room(s, a))
              offer(i * states + s + model.stride[a], from[s] + own, j, a);
        }
        if (!alive) break;
      }
    }
    for (const std::uint32_t net : model.loads.units[order[j]].nets) outside[net] = 1;
  }

  const double* const last = &best[n * states];
  std::size_t s = static_cast<std::size_t>(std::min_element(last, last + states) - last);
  const double value = last[s];
  if (!(value < limit)) return std::nullopt;
  SplitBuilder split(model);
  for (std::size_t i = n; i > 0;) {
    const Step& at = step[i * states + s];
    split.add(std::span(order).subspan(at.from, i - at.from), at.accelerator);
    i = at.from;
    if (at.accelerator != kOnCpu) s -= model.stride[at.accelerator];
  }
  return split.finish(value);
}

// ---- over all ideals ----

class IdealLatency {
 public:
  IdealLatency(const SerialModel& model, double limit, std::size_t most_bytes, const Budget& budget)
      : model_(model), limit_(limit), most_bytes_(most_bytes), budget_(budget), load_(model.loads),
        table_(model.loads.unit_count()), bits_(table_.words(), 0),
        outside_(model.loads.nets.size(), 0), missing_(model.loads.unit_count(), 0),
        layers_(model.loads.unit_count() + 1) {}

  // False when memory or the budget ran out.
  bool run() {
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

  // The best split below the limit, after a run that ended by itself.
  std::optional<Split> best() const {
    if (layers_.back().empty()) return std::nullopt;
    std::uint32_t ideal = layers_.back().front();
    const auto row = value_.begin() + static_cast<std::ptrdiff_t>(ideal * model_.states);
    std::size_t state = static_cast<std::size_t>(
        std::min_element(row, row + static_cast<std::ptrdiff_t>(model_.states)) - row);
    const double value = value_[ideal * model_.states + state];
    SplitBuilder split(model_);
    while (ideal != 0) {
      const std::size_t at = ideal * model_.states + state;
      std::vector<std::uint32_t> units;
      for (std::uint32_t u = 0; u < model_.loads.unit_count(); ++u)
        if (holds(table_.bits(ideal), u) && !holds(table_.bits(from_[at]), u)) units.push_back(u);
      split.add(units, accelerator_[at]);
      if (accelerator_[at] != kOnCpu) state -= model_.stride[accelerator_[at]];
      ideal = from_[at];
    }
    return split.finish(value);
  }

  std::size_t ideals() const { return table_.size(); }

 private:
  static bool holds(std::span<const std::uint64_t> bits, std::uint32_t unit) {
    return (bits[unit / 64] >> (unit % 64)) & 1;
  }
  void flip(std::uint32_t unit) {
    bits_[unit / 64] ^= std::uint64_t{1} << (unit % 64);
    key_ ^= table_.unit_key(unit);
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
    const std::uint32_t ideal = table_.insert(key_, bits_);
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
    std::copy(table_.bits(ideal).begin(), table_.bits(ideal).end(), bits_.begin());
    key_ = table_.key(ideal);
    origin_ = ideal;
    rest_ = 0;
    size_ = 0;
    std::fill(outside_.begin(), outside_.end(), std::uint8_t{0});
    for (std::uint32_t u = 0; u < model_.loads.unit_count(); ++u) {
      if (!holds(bits_, u)) {
        rest_ += model_.least_time[u];
        continue;
      }
      ++size_;
      for (const std::uint32_t net : model_.loads.units[u].nets) outside_[net] = 1;
    }
    collect_origins(ideal);
    if (!(least_ + rest_ < limit_)) return;
    candidates_.clear();
    for (std::uint32_t u = 0; u < model_.loads.unit_count(); ++u) {
      if (holds(bits_, u)) continue;
      missing_[u] = 0;
      for (const std::uint32_t before : model_.loads.units[u].before)
        missing_[u] += !holds(bits_, before);
      if (missing_[u] == 0) candidates_.push_back(u);
    }
    for (const std::uint32_t unit : candidates_) {
      const double time = model_.cpu_time[unit];
      if (!(least_ + time + rest_ - model_.least_time[unit] < limit_)) continue;
      flip(unit);
      target_ = IdealTable::kNone;
      for (const Origin& origin : origins_) offer(origin.state, origin.value + time, size_ + 1, ideal, kOnCpu);
      flip(unit);
    }
    load_.start(outside_);
    grow(0, rest_);
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
          if (model_.used(other.state, a) > model_.used(s, a)) return false;
        return true;
      });
      if (beaten) continue;
      origins_.push_back({s, row[s]});
      least_ = std::min(least_, row[s]);
    }
  }

  // Every call that adds candidates from `first` on to the current set, once each.
  void grow(std::size_t first, double rest) {
    for (std::size_t i = first; i < candidates_.size() && !stopped_; ++i) {
      const std::uint32_t unit = candidates_[i];
      const double rest_after = rest - model_.least_time[unit];
      load_.add(unit);
      if (!may_grow(rest_after)) {
        load_.remove();
        continue;
      }
      flip(unit);
      const std::size_t known = candidates_.size();
      for (const std::uint32_t next : model_.loads.units[unit].after)
        if (--missing_[next] == 0) candidates_.push_back(next);
      reach(rest_after);
      grow(i + 1, rest_after);
      candidates_.resize(known);
      for (const std::uint32_t next : model_.loads.units[unit].after) ++missing_[next];
      flip(unit);
      load_.remove();
    }
  }

  bool may_grow(double rest) const {
    for (const std::uint32_t c : model_.accelerators)
      if (load_.memory_fits(c) && least_ + load_.monotone_load(c) + rest < limit_) return true;
    return false;
  }

  void reach(double rest) {
    target_ = IdealTable::kNone;
    for (std::size_t a = 0; a < model_.accelerators.size(); ++a) {
      const std::uint32_t c = model_.accelerators[a];
      if (!load_.memory_fits(c)) continue;
      const double own = load_.load(c);
      for (const Origin& origin : origins_)
        if (origin.value + own + rest < limit_ && model_.has_room(origin.state, a))
          offer(origin.state + model_.stride[a], origin.value + own, size_ + load_.units().size(),
                origin_, a);
    }
  }

  struct Origin {
    std::size_t state;
    double value;
  };

  const SerialModel& model_;
  double limit_;
  std::size_t most_bytes_;
  const Budget& budget_;
  PieceLoad load_;
  IdealTable table_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> outside_;
  std::vector<std::uint32_t> missing_, candidates_;
  std::vector<std::vector<std::uint32_t>> layers_;  // ideals by size
  std::vector<double> value_;                       // f
  std::vector<std::uint32_t> from_;                 // the ideal before
  std::vector<std::uint8_t> accelerator_;           // what the units between run on
  std::vector<Origin> origins_;
  double least_ = kInfinity, rest_ = 0;  // over origins; time no split avoids outside the set
  std::size_t size_ = 0;
  std::uint64_t key_ = 0;
  std::uint32_t origin_ = 0, target_ = IdealTable::kNone;
  bool stopped_ = false;
};

// ---- the true latency ----

// Keeps the split that is best when it runs; CPU limits, which the recurrence ignores, are repaired.
class Judge {
 public:
  Judge(const Problem& problem, const LoadModel& model, Budget& budget)
      : problem_(problem), model_(model), budget_(budget), evaluator_(problem) {}

  void judge(const Split& split) {
    Placement placement = to_placement(problem_, model_, split.device_of);
    Score score = evaluator_(placement);
    budget_.count();
    if (!score.feasible() || broken_rule(problem_, placement)) {
      std::optional<IdVector<UnitId, DeviceId>> units =
          make_allowed(problem_, to_units(problem_, placement));
      std::uint64_t evaluations = 0;
      if (units) units = make_fit(problem_, std::move(*units), evaluations);
      budget_.count(evaluations);
      if (!units) return;
      placement = from_units(problem_, *units);
      score = evaluator_(placement);
      if (!score.feasible()) return;
    }
    if (best_ && !(score < score_)) return;
    best_ = std::move(placement);
    score_ = score;
    budget_.report({.phase = "latency-dp", .best = score_.value, .bound = {}});
  }
  const std::optional<Placement>& best() const { return best_; }

 private:
  const Problem& problem_;
  const LoadModel& model_;
  Budget& budget_;
  Evaluator evaluator_;
  std::optional<Placement> best_;
  Score score_;
};

std::optional<std::string> why_not(const Problem& problem) {
  if (problem.execution() != Execution::kCall || problem.objective() != Objective::kLatency)
    return "latency-dp is for the call model with the objective latency";
  return std::nullopt;
}

// Loads are those of the throughput problem: compute and transfers in sequence.
Problem with_loads(const Problem& problem) {
  ExecutionModel model = problem.model();
  model.objective = Objective::kThroughput;
  model.overlap = Overlap::kSum;
  return problem.with_model(model);
}

}  // namespace

Outcome LatencyDp::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (const std::optional<std::string> why = why_not(problem)) return {.reason = *why};
  const SerialModel model(with_loads(problem));
  const std::size_t most_bytes = static_cast<std::size_t>(std::max(1, options_.memory_mb)) << 20;
  if ((model.loads.unit_count() + 1) * model.states > most_bytes / 16)
    return {.reason = fmt::format("latency-dp counts the accelerators used of each kind, and {} states "
                                  "for each of {} units do not fit memory_mb={}",
                                  model.states, model.loads.unit_count(), options_.memory_mb)};
  Judge judge(problem, model.loads, budget);
  double limit = kInfinity;
  const Rng streams = rng.split("orders");
  for (int i = 0; i < std::max(1, options_.orders); ++i) {
    if (i > 0 && budget.spent()) break;
    Rng stream = streams.split(static_cast<std::uint64_t>(i));
    const std::vector<std::uint32_t> order = depth_first_order(model.loads, stream, i == 0);
    const std::optional<Split> split = serial_split(model, order, limit * kWorthJudging, budget);
    if (!split) continue;
    judge.judge(*split);
    limit = std::min(limit, split->serial);
  }

  Outcome outcome;
  IdealLatency search(model, limit * kBelow, most_bytes, budget);
  if (!search.run())
    outcome.notes.push_back(fmt::format("latency-dp stopped at {} ideals: the split is the best of {} "
                                        "linear orders", search.ideals(), options_.orders));
  else if (const std::optional<Split> split = search.best())
    judge.judge(*split);
  outcome.placement = judge.best();
  if (!outcome.placement)
    outcome.reason = "no split into one call per accelerator was found that fits memory and constraints";
  return outcome;
}

}  // namespace berth
