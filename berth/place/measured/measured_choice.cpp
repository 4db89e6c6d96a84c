#include "berth/place/measured/measured_choice.h"

#include <algorithm>
#include <vector>

#include "berth/place/measured/halving.h"
#include "berth/place/measured/paired.h"

namespace berth {
namespace {

constexpr std::size_t kChallengers = 2;

// As many as can be halved down to the challengers.
std::size_t affordable(std::size_t candidates, std::size_t measurements) {
  while (candidates > 0 && halving_cost(candidates, kChallengers) > measurements) --candidates;
  return candidates;
}

}  // namespace

std::optional<MeasuredChoice> choose_by_measuring(std::span<const Placement> safe,
                                                  std::span<const Placement> others,
                                                  std::size_t most_candidates, int measurements,
                                                  Budget& budget) {
  const std::uint64_t begin = budget.measurements();
  const auto left = [&] {
    const std::uint64_t used = budget.measurements() - begin;
    const std::uint64_t all = static_cast<std::uint64_t>(std::max(measurements, 0));
    return static_cast<std::size_t>(all > used ? all - used : 0);
  };
  const std::size_t for_pairs = left() * 2 / 5;

  std::optional<MeasuredChoice> choice;
  const std::vector<Survivor> best_safe =
      halve(safe.first(std::min(safe.size(), left())), 1, budget);
  if (!best_safe.empty()) choice = {.winner = best_safe[0].index, .measured = best_safe[0].median};

  const std::size_t room = left() > for_pairs ? left() - for_pairs : 0;
  const std::size_t count = affordable(std::min(others.size(), most_candidates), room);
  std::vector<Survivor> finalists = halve(others.first(count), kChallengers, budget);
  if (!choice && !finalists.empty()) {
    choice = {.winner = safe.size() + finalists[0].index, .measured = finalists[0].median};
    finalists.erase(finalists.begin());
  }
  // Fewer pairs could show nothing.
  const std::size_t challengers = std::min(finalists.size(), left() / (2 * kFewestPairs));
  for (std::size_t i = 0; i < challengers && !budget.out_of_time(); ++i) {
    const int pairs = static_cast<int>(left() / (challengers - i) / 2);
    const std::size_t challenger = finalists[i].index;
    const Placement& incumbent =
        choice->winner < safe.size() ? safe[choice->winner] : others[choice->winner - safe.size()];
    const std::optional<PairedComparison> result =
        compare_paired(others[challenger], incumbent, pairs, budget);
    if (!result) continue;
    ++choice->challenges;
    choice->measured = result->incumbent;
    if (!result->candidate_is_faster()) continue;
    ++choice->won;
    choice->winner = safe.size() + challenger;
    choice->measured = result->candidate;
  }
  return choice;
}

}  // namespace berth
