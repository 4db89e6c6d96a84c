#include "berth/search/annealing_chain.h"

#include <cmath>

namespace berth {
namespace {

// Two moves of one draw may put units together that must be apart.
bool keeps_apart(const Problem& problem, const SearchState& state) {
  for (const std::vector<UnitId>& set : problem.apart())
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = i + 1; j < set.size(); ++j)
        if (state.device_of(set[i]) == state.device_of(set[j])) return false;
  return true;
}

}  // namespace

AnnealingChain::End AnnealingChain::run(const UnitDevices& start, Rng rng) const {
  SearchState state(problem, start);
  End result{.best = start, .last = start, .score = state.score(), .evaluations = 1};
  AnnealingMoves moves(problem, regions, proposals);
  const double scale = state.energy() > 0 ? state.energy() : 1.0;
  double now = 0;  // temperature
  constexpr std::uint64_t kAskEvery = 64;
  for (std::uint64_t step = 0; result.evaluations < allowance && !result.is_at(floor); ++step) {
    if (step % kAskEvery == 0) {
      const std::optional<double> next =
          temperature(static_cast<double>(result.evaluations) / static_cast<double>(allowance));
      if (!next || step > 100 * allowance) break;
      now = *next;
    }
    const double before = state.energy();
    const std::span<const SearchState::Change> changes = moves.draw(state, rng);
    if (changes.empty()) continue;
    state.apply(changes);
    ++result.evaluations;
    const double rise = (state.energy() - before) / scale;
    const bool keep = (rise <= 0 || rng.uniform() < std::exp(-rise / now)) &&
                      (changes.size() == 1 || keeps_apart(problem, state));
    if (!keep) {
      state.undo();
    } else if (state.score() < result.score) {
      result.best = state.devices();
      result.score = state.score();
      if (improved) improved(result.best, result.score);
    }
  }
  result.last = state.devices();
  return result;
}

}  // namespace berth
