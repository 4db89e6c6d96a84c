// A placement under search: try a change, see its score, keep it or take it back.
//
// Load-based objectives (pipeline, call throughput, sequential without subgraph overhead) are kept
// under single-unit moves in O(degree) (sim/load_state.h); everything else is evaluated anew, which the
// simulators make cheap. Memory that depends only on weights is kept incrementally as well.
//
// `energy` is what a search descends: the value, plus a small multiple of the root mean square of
// device loads where the value is a maximum, so that a plateau has a slope; infeasible placements
// pay for their overflow on top.
#pragma once

#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"
#include "berth/sim/held_weights.h"
#include "berth/sim/load_state.h"

namespace berth {

class SearchState {
 public:
  SearchState(const Problem& problem, const UnitDevices& start);

  DeviceId device_of(UnitId unit) const { return device_of_[unit]; }
  const UnitDevices& devices() const { return device_of_; }
  const Score& score() const { return score_; }
  double energy() const { return energy_; }

  // Whether support, pins, forbids and apart let the unit move there, all else equal.
  bool may_move(UnitId unit, DeviceId device) const;

  struct Change {
    UnitId unit;
    DeviceId device;
  };
  // Applies all changes and scores the result: one evaluation.
  void apply(std::span<const Change> changes);
  void apply(const Change& change) { apply({&change, 1}); }
  // Takes the last apply() back.
  void undo();

  // The whole placement scored anew, which removes rounding that moves have gathered.
  void refresh();

 private:
  void set_device(UnitId unit, DeviceId device);
  void rescore();
  template <class Load>
  double sloped(double value, const Load& load) const;

  Problem problem_;
  const UnitGraph& units_;  // of the problem
  Evaluator evaluator_;
  MemoryRule memory_rule_;
  std::optional<LoadState> loads_;  // when the objective is load-based
  UnitDevices device_of_;
  std::vector<DeviceId> node_device_;
  UnitWeights held_;
  std::vector<Change> before_;  // to undo
  Score score_, score_before_;
  double energy_ = 0, energy_before_ = 0;
};

// A placement that satisfies support, pins, forbids and apart, from one that may not: each unit in
// turn keeps its device if it may, or takes the allowed one where it runs fastest. Empty when apart
// sets cannot be satisfied this way.
std::optional<UnitDevices> make_allowed(const Problem& problem, UnitDevices device_of);

// Whether a repair goes on when the budget is spent: the first answer may pass the limit.
enum class Repair : std::uint8_t { kToTheEnd, kWithinBudget };

// Moves units off overfull devices until memory fits, the least energy first; empty when it stays
// stuck.
std::optional<UnitDevices> make_fit(const Problem& problem, UnitDevices device_of, Budget& budget,
                                    Repair repair = Repair::kToTheEnd);

}  // namespace berth
