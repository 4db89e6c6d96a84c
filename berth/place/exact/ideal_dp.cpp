#include "berth/place/exact/ideal_dp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "berth/graph/ideals.h"
#include "berth/place/exact/linear_dp.h"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBelow = 1 - 1e-9;  // a limit just below a value, above the rounding of sums

enum class Verdict { kFound, kImpossible, kStopped };

// One threshold run.
class IdealSearch {
 public:
  IdealSearch(const LoadModel& model, const LoadModel::Halves& limit, std::size_t most_bytes,
              const Budget& budget)
      : model_(model), limit_(limit), most_bytes_(most_bytes), budget_(budget), load_(model),
        table_(model.unit_count()), bits_(table_.words(), 0), outside_(model.nets.size(), 0),
        missing_(model.unit_count(), 0), layers_(model.unit_count() + 1) {
    for (std::size_t c = 1; c < model.classes.size(); ++c) {
      stride_.push_back(states_);
      states_ *= model.classes[c].count() + 1;
    }
    for (std::size_t h = 0; h < load_.halves(); ++h) {
      work_.push_back(unit_work(model, h));
      speed_.push_back(class_speeds(model, h));
      total_work_.push_back(0);
      for (const double w : work_.back()) total_work_.back() += w;
    }
    for (const LoadModel::Unit& unit : model.units) total_bytes_ += unit.bytes;
    devices_ = model.classes[0].count();
  }

  Verdict run() {
    add_ideal(0, {});
    fewest_[0] = 0;
    for (std::size_t size = 0; size < model_.unit_count(); ++size) {
      for (const std::uint32_t ideal : layers_[size]) {
        if (out_of_memory_ || budget_.spent()) return Verdict::kStopped;
        expand(ideal);
      }
      layers_[size] = {};
    }
    full_ = layers_.back().empty() ? IdealTable::kNone : layers_.back().front();
    return full_ == IdealTable::kNone ? Verdict::kImpossible : Verdict::kFound;
  }

  // The pieces of a split that reached everything, found downwards from the full set.
  PieceChain recover() {
    PieceChain chain;
    std::uint32_t ideal = full_;
    const std::uint8_t* const row = &fewest_[full_ * states_];
    std::size_t state = static_cast<std::size_t>(std::min_element(row, row + states_) - row);
    while (ideal != 0) {
      Target target{ideal, state, fewest_[ideal * states_ + state]};
      const bool found = find_piece(target);
      assert(found && "the table holds a chain to every ideal in it");
      if (!found) break;
      chain.pieces.push_back({target.units, target.device_class});
      ideal = target.from;
      state = target.from_state;
    }
    std::reverse(chain.pieces.begin(), chain.pieces.end());
    return chain;
  }

  std::size_t ideals() const { return table_.size(); }
  std::uint64_t pairs() const { return pairs_; }

 private:
  static constexpr std::uint8_t kUnreached = 255;

  std::uint32_t add_ideal(std::uint64_t key, std::span<const std::uint32_t> added) {
    const std::size_t before = table_.size();
    const std::uint32_t ideal = table_.insert(key, bits_);
    if (table_.size() == before) return ideal;
    fewest_.resize(table_.size() * states_, kUnreached);
    layers_[size_ + added.size()].push_back(ideal);
    if (table_.memory() + fewest_.capacity() + 4 * table_.size() > most_bytes_) out_of_memory_ = true;
    return ideal;
  }

  std::size_t used(std::size_t state, std::size_t c) const {  // c >= 1
    return state / stride_[c - 1] % (model_.classes[c].count() + 1);
  }

  // Whether the devices that are left can do the work that is left.
  bool useful(std::size_t state, std::size_t fewest, const double* work_left,
              std::int64_t bytes_left) const {
    if (fewest > devices_) return false;
    double room = 0;
    bool unlimited = false;
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const std::size_t left =
          c == 0 ? devices_ - fewest : model_.classes[c].count() - used(state, c);
      if (left == 0) continue;
      if (model_.classes[c].memory) room += static_cast<double>(left) * static_cast<double>(*model_.classes[c].memory);
      else unlimited = true;
    }
    if (!unlimited && static_cast<double>(bytes_left) > room * (1 + 1e-12)) return false;
    for (std::size_t h = 0; h < load_.halves(); ++h) {
      double speed = 0;
      for (std::size_t c = 0; c < model_.classes.size(); ++c)
        speed += speed_[h][c] * static_cast<double>(c == 0 ? devices_ - fewest
                                                           : model_.classes[c].count() - used(state, c));
      // Differences of sums: what is left of nothing may be a little above zero.
      if (work_left[h] > limit_[h] * speed * (1 + 1e-12) + 1e-9 * total_work_[h]) return false;
    }
    return true;
  }

  // Makes `ideal` the current set, its units outside the piece that will grow on it.
  void enter(std::uint32_t ideal, bool downwards) {
    const std::span<const std::uint64_t> at = table_.bits(ideal);
    std::copy(at.begin(), at.end(), bits_.begin());
    key_ = table_.key(ideal);
    std::fill(outside_.begin(), outside_.end(), std::uint8_t{0});
    candidates_.clear();
    size_ = 0;
    for (std::uint32_t u = 0; u < model_.unit_count(); ++u) {
      const bool inside = holds(u);
      size_ += inside;
      if (inside != downwards)
        for (const std::uint32_t net : model_.units[u].nets) outside_[net] = 1;
    }
    for (std::uint32_t u = 0; u < model_.unit_count(); ++u) {
      if (holds(u) != downwards) continue;
      const std::vector<std::uint32_t>& gate = downwards ? model_.units[u].after : model_.units[u].before;
      missing_[u] = 0;
      for (const std::uint32_t other : gate) missing_[u] += holds(other) == downwards;
      if (missing_[u] == 0) candidates_.push_back(u);
    }
    load_.start(outside_);
  }
  bool holds(std::uint32_t unit) const { return (bits_[unit / 64] >> (unit % 64)) & 1; }
  void flip(std::uint32_t unit) {
    bits_[unit / 64] ^= std::uint64_t{1} << (unit % 64);
    key_ ^= table_.unit_key(unit);
  }

  bool may_grow() const {
    for (std::size_t c = 0; c < model_.classes.size(); ++c)
      if (load_.may_still_fit(c, limit_)) return true;
    return false;
  }

  void expand(std::uint32_t ideal) {
    enter(ideal, false);
    double work_left[2] = {0, 0};
    std::int64_t bytes_left = total_bytes_;
    for (std::size_t h = 0; h < load_.halves(); ++h) {
      work_left[h] = total_work_[h];
      for (std::uint32_t u = 0; u < model_.unit_count(); ++u)
        if (holds(u)) work_left[h] -= work_[h][u];
    }
    for (std::uint32_t u = 0; u < model_.unit_count(); ++u)
      if (holds(u)) bytes_left -= model_.units[u].bytes;
    origins_.clear();
    for (std::size_t s = 0; s < states_; ++s) {
      const std::uint8_t fewest = fewest_[ideal * states_ + s];
      if (fewest != kUnreached && useful(s, fewest, work_left, bytes_left)) origins_.push_back({s, fewest});
    }
    if (origins_.empty()) return;
    std::copy(work_left, work_left + 2, origin_work_);
    origin_bytes_ = bytes_left;
    grow(0);
  }

  // Every superset of the current set that adds candidates from `first` on, once each.
  void grow(std::size_t first) {
    for (std::size_t i = first; i < candidates_.size() && !out_of_memory_; ++i) {
      const std::uint32_t unit = candidates_[i];
      load_.add(unit);
      ++pairs_;
      if (!may_grow()) {
        load_.remove();
        continue;
      }
      flip(unit);
      for (std::size_t h = 0; h < load_.halves(); ++h)
        piece_work_[h].push_back(piece_work_[h].back() + work_[h][unit]);
      const std::size_t known = candidates_.size();
      for (const std::uint32_t next : model_.units[unit].after)
        if (--missing_[next] == 0) candidates_.push_back(next);
      reach();
      grow(i + 1);
      for (std::size_t h = 0; h < load_.halves(); ++h) piece_work_[h].pop_back();
      candidates_.resize(known);
      for (const std::uint32_t next : model_.units[unit].after) ++missing_[next];
      flip(unit);
      load_.remove();
    }
  }

  // The current set, as reached by the current piece.
  void reach() {
    std::uint32_t ideal = IdealTable::kNone;
    double work_left[2];
    for (std::size_t h = 0; h < load_.halves(); ++h)
      work_left[h] = origin_work_[h] - piece_work_[h].back();
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      if (!load_.fits(c, limit_)) continue;
      for (const Origin& origin : origins_) {
        const std::size_t fewest = origin.fewest + (c == 0 ? 1 : 0);
        std::size_t state = origin.state;
        if (c > 0) {
          if (used(state, c) == model_.classes[c].count()) continue;
          state += stride_[c - 1];
        }
        if (!useful(state, fewest, work_left, origin_bytes_ - load_.bytes())) continue;
        if (ideal == IdealTable::kNone) ideal = add_ideal(key_, load_.units());
        std::uint8_t& known = fewest_[ideal * states_ + state];
        known = std::min(known, static_cast<std::uint8_t>(fewest));
      }
    }
  }

  struct Target {
    std::uint32_t ideal;
    std::size_t state;
    std::uint8_t fewest;
    std::vector<std::uint32_t> units{};
    std::uint32_t device_class = 0, from = 0;
    std::size_t from_state = 0;
  };

  bool find_piece(Target& target) {
    enter(target.ideal, true);
    return shrink(0, target);
  }

  bool shrink(std::size_t first, Target& target) {
    for (std::size_t i = first; i < candidates_.size(); ++i) {
      const std::uint32_t unit = candidates_[i];
      load_.add(unit);
      if (!may_grow()) {
        load_.remove();
        continue;
      }
      flip(unit);
      const std::size_t known = candidates_.size();
      for (const std::uint32_t next : model_.units[unit].before)
        if (--missing_[next] == 0) candidates_.push_back(next);
      if (came_from_here(target) || shrink(i + 1, target)) return true;
      candidates_.resize(known);
      for (const std::uint32_t next : model_.units[unit].before) ++missing_[next];
      flip(unit);
      load_.remove();
    }
    return false;
  }

  bool came_from_here(Target& target) const {
    std::uint32_t ideal = IdealTable::kNone;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      if (!load_.fits(c, limit_)) continue;
      if (c > 0 && used(target.state, c) == 0) continue;
      if (c == 0 && target.fewest == 0) continue;
      if (ideal == IdealTable::kNone) ideal = table_.find(key_, bits_);
      if (ideal == IdealTable::kNone) return false;
      const std::size_t state = c == 0 ? target.state : target.state - stride_[c - 1];
      const std::uint8_t fewest = static_cast<std::uint8_t>(target.fewest - (c == 0 ? 1 : 0));
      if (fewest_[ideal * states_ + state] != fewest) continue;
      target.units.assign(load_.units().begin(), load_.units().end());
      target.device_class = c;
      target.from = ideal;
      target.from_state = state;
      return true;
    }
    return false;
  }

  struct Origin {
    std::size_t state, fewest;
  };

  const LoadModel& model_;
  LoadModel::Halves limit_;
  std::size_t most_bytes_;
  const Budget& budget_;
  PieceLoad load_;
  IdealTable table_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> outside_;
  std::vector<std::uint32_t> missing_, candidates_;
  std::vector<std::vector<std::uint32_t>> layers_;  // ideals by size
  std::vector<std::uint8_t> fewest_;                // g
  std::vector<std::size_t> stride_;                 // of classes 1, 2, ... in a state
  std::vector<std::vector<double>> work_, speed_;
  std::vector<double> total_work_;
  std::vector<Origin> origins_;
  double origin_work_[2] = {0, 0};
  std::vector<double> piece_work_[2] = {{0.0}, {0.0}};  // of the growing piece, unit by unit
  std::int64_t total_bytes_ = 0, origin_bytes_ = 0;
  std::size_t states_ = 1, devices_ = 0, size_ = 0;
  std::uint64_t key_ = 0, pairs_ = 0;
  std::uint32_t full_ = IdealTable::kNone;
  bool out_of_memory_ = false;
};

struct Proof {
  std::optional<PieceChain> best;
  double value = kInfinity;
  bool proven = false;      // nothing contiguous is better than `value`
  std::size_t ideals = 0;   // most in one run
};

// Lowers the limit until nothing fits below it.
Proof minimise(const LoadModel& model, std::optional<PieceChain> start, std::size_t most_bytes,
               Budget& budget) {
  Proof proof;
  proof.best = std::move(start);
  if (proof.best) proof.value = value_of(model, *proof.best).value();
  const auto report = [&] {
    if (proof.best)
      budget.report({.phase = "ideals", .best = Duration{proof.value}, .bound = {}});
  };
  const auto search = [&](const LoadModel::Halves& limit) -> std::pair<Verdict, std::optional<PieceChain>> {
    IdealSearch run(model, limit, most_bytes, budget);
    const Verdict verdict = run.run();
    budget.count();
    proof.ideals = std::max(proof.ideals, run.ideals());
    if (verdict != Verdict::kFound) return {verdict, std::nullopt};
    return {verdict, run.recover()};
  };

  if (!model.halves_apart) {
    const double floor = work_floor(model, 0);
    while (true) {
      if (proof.value <= floor * (1 + 1e-12)) return proof.proven = true, proof;
      const auto [verdict, found] = search({proof.value * kBelow, kInfinity});
      if (verdict == Verdict::kStopped) return proof;
      if (verdict == Verdict::kImpossible) return proof.proven = true, proof;
      proof.best = found;
      proof.value = value_of(model, *found).value();
      report();
    }
  }

  // GPipe: the smallest backward limit for each forward limit, forward limits falling.
  const double forward_floor = work_floor(model, 0);
  for (double forward = kInfinity;;) {
    double backward = proof.value - forward_floor, next_forward = 0;
    bool any = false;
    while (true) {
      const auto [verdict, found] = search({forward, backward});
      if (verdict == Verdict::kStopped) return proof;
      if (verdict == Verdict::kImpossible) break;
      any = true;
      const ChainValue at = value_of(model, *found);
      next_forward = at.largest[0];
      backward = at.largest[1] * kBelow;
      if (at.value() < proof.value) {
        proof.value = at.value();
        proof.best = found;
        report();
      }
    }
    if (!any) return proof.proven = true, proof;
    forward = next_forward * kBelow;
  }
}

}  // namespace

Outcome IdealDp::place(const Problem& problem, Budget& budget, Rng& rng) const {
  if (const std::optional<std::string> why = why_no_load(problem)) return {.reason = *why};
  const LoadModel model = load_model(problem);
  Outcome outcome;
  outcome.contiguous = true;
  const Proof proof =
      minimise(model, best_linear_split(model, options_.orders, budget, rng.split("orders")),
               static_cast<std::size_t>(std::max(1, options_.memory_mb)) << 20, budget);
  if (proof.best) outcome.placement = to_placement(problem, model, devices_of(model, *proof.best));
  if (proof.proven) {
    if (!proof.best) {
      outcome.reason = "no contiguous split fits memory and constraints";
      return outcome;
    }
    outcome.lower_bound = Duration{proof.value};
    outcome.proven_optimal = model.exact;
    return outcome;
  }
  double floor = work_floor(model, 0);
  if (model.halves_apart) floor += work_floor(model, 1);
  outcome.lower_bound = Duration{floor};
  if (!proof.best) outcome.reason = "the search ended before a split that fits was found";
  outcome.notes.push_back(fmt::format(
      "ideal-dp stopped at {} ideals: the split is the best of {} linear orders, not proven optimal",
      proof.ideals, options_.orders));
  return outcome;
}

}  // namespace berth
