#include "berth/search/descent.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "berth/search/region_moves.h"
#include "berth/search/search_state.h"

namespace berth {
namespace {

constexpr double kGain = 1 - 1e-9;  // smaller gains are rounding

using Change = SearchState::Change;

// Tries all single moves, starting at `offset`; applies the best, or the first gain. False at a
// local optimum or when the budget ends.
bool improve_by_move(const Problem& problem, SearchState& state, const std::vector<UnitId>& units,
                     bool take_first, std::size_t& offset, Budget& budget) {
  double least = state.energy() * kGain;
  std::optional<Change> best;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitId unit = units[(offset + i) % units.size()];
    for (const DeviceId device : problem.devices()) {
      if (device == state.device_of(unit) || !state.may_move(unit, device)) continue;
      if (budget.spent()) return false;
      const Change change{unit, device};
      state.apply({&change, 1});
      budget.count();
      if (state.energy() < least) {
        least = state.energy();
        best = change;
        if (take_first) {
          offset = (offset + i) % units.size();
          return true;
        }
      }
      state.undo();
    }
  }
  if (!best) return false;
  state.apply({&*best, 1});
  return true;
}

bool improve_by_swap(const Problem& problem, SearchState& state, int tries, Budget& budget,
                     Rng& rng) {
  const std::size_t units = problem.unit_count();
  if (units < 2) return false;
  const double target = state.energy() * kGain;
  for (int i = 0; i < tries && !budget.spent(); ++i) {
    const UnitId a = static_cast<UnitId>(rng.below(units)),
                 b = static_cast<UnitId>(rng.below(units));
    const DeviceId on_a = state.device_of(a), on_b = state.device_of(b);
    if (on_a == on_b || !problem.unit_allows(a, on_b) || !problem.unit_allows(b, on_a)) continue;
    if (!problem.apart().empty() && (!state.may_move(a, on_b) || !state.may_move(b, on_a)))
      continue;
    const Change changes[] = {{a, on_b}, {b, on_a}};
    state.apply(changes);
    budget.count();
    if (state.energy() < target) return true;
    state.undo();
  }
  return false;
}

bool improve_by_region(const RegionMoves& regions, SearchState& state, int tries, Budget& budget,
                       Rng& rng) {
  const double target = state.energy() * kGain;
  std::vector<Change> changes;
  for (int i = 0; i < tries && !budget.spent(); ++i) {
    regions.draw(state, rng, changes);
    if (changes.empty()) continue;
    state.apply(changes);
    budget.count();
    if (state.energy() < target) return true;
    state.undo();
  }
  return false;
}

}  // namespace

IdVector<UnitId, DeviceId> improve_locally(const Problem& problem,
                                           const IdVector<UnitId, DeviceId>& start,
                                           const DescentOptions& options, Budget& budget,
                                           Rng& rng) {
  SearchState state(problem, start);
  IdVector<UnitId, DeviceId> best = start;
  Score best_score = state.score();
  std::vector<UnitId> units;
  for (const UnitId unit : problem.units()) units.push_back(unit);
  rng.shuffle(units);
  const bool take_first =
      units.size() * problem.device_count() > static_cast<std::size_t>(options.first_above);
  std::size_t offset = 0;
  std::optional<RegionMoves> regions;
  if (problem.as<InPieces>() && problem.apart().empty()) regions.emplace(problem);
  while (!budget.spent()) {
    if (!improve_by_move(problem, state, units, take_first, offset, budget) &&
        !(regions && improve_by_region(*regions, state, options.swaps, budget, rng)) &&
        !improve_by_swap(problem, state, options.swaps, budget, rng))
      break;
    if (state.score() < best_score) {
      best_score = state.score();
      best = state.devices();
      if (best_score.feasible())
        budget.report({.phase = "local search", .best = best_score.value, .bound = {}});
    }
  }
  return best;
}

}  // namespace berth
