#include "berth/search/descent.h"

#include <algorithm>

#include "berth/search/region_moves.h"

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
      state.apply(change);
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
  state.apply(*best);
  return true;
}

void draw_swap(const Problem& problem, const SearchState& state, Rng& rng,
               std::vector<Change>& changes) {
  const auto any = [&] { return static_cast<UnitId>(rng.below(problem.unit_count())); };
  const UnitId a = any(), b = any();
  const DeviceId on_a = state.device_of(a), on_b = state.device_of(b);
  changes.clear();
  if (on_a != on_b && state.may_move(a, on_b) && state.may_move(b, on_a))
    changes = {{a, on_b}, {b, on_a}};
}

// Applies the first change drawn that improves. Empty draws are tries too.
template <class Draw>
bool improve_by_draw(SearchState& state, int tries, Budget& budget, Draw draw) {
  const double target = state.energy() * kGain;
  std::vector<Change> changes;
  for (int i = 0; i < tries && !budget.spent(); ++i) {
    draw(changes);
    if (changes.empty()) continue;
    state.apply(changes);
    budget.count();
    if (state.energy() < target) return true;
    state.undo();
  }
  return false;
}

}  // namespace

UnitDevices improve_locally(const Problem& problem, const UnitDevices& start,
                            const DescentOptions& options, Budget& budget, Rng& rng) {
  SearchState state(problem, start);
  UnitDevices best = start;
  Score best_score = state.score();
  std::vector<UnitId> units(problem.units().begin(), problem.units().end());
  rng.shuffle(units);
  const bool take_first =
      units.size() * problem.device_count() > static_cast<std::size_t>(options.first_above);
  std::size_t offset = 0;
  std::optional<RegionMoves> regions;
  if (problem.apart().empty()) regions = region_moves(problem);
  const auto by_region = [&](auto& changes) { regions->draw(state, rng, changes); };
  const auto by_swap = [&](auto& changes) { draw_swap(problem, state, rng, changes); };
  while (!budget.spent()) {
    if (!improve_by_move(problem, state, units, take_first, offset, budget) &&
        !(regions && improve_by_draw(state, options.swaps, budget, by_region)) &&
        !(units.size() > 1 && improve_by_draw(state, options.swaps, budget, by_swap)))
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
