// Many placements measured a little, few of them more: successive halving.
//
// Round after round every placement that is left is measured once, and the better half by the
// median of all its measurements goes on, until `keep` are left. n placements cost about 2 n
// measurements, and what is nearly best is measured most often:
//   n + ceil(n/2) + ceil(n/4) + ...   down to more than `keep`
// Rounds go through the placements forwards and backwards in turn, so that a machine that slows
// down does not favour those at the front. A placement that its devices refuse is dropped.
//
// Karnin, Koren, Somekh: Almost Optimal Exploration in Multi-Armed Bandits. ICML 2013.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "berth/base/units.h"
#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

struct Survivor {
  std::size_t index = 0;  // into the candidates
  Duration median{0};     // of its measurements
  int measurements = 0;
};

// Best first, at most `keep`. At least one round, unless the budget is spent before.
std::vector<Survivor> halve(std::span<const Placement> candidates, std::size_t keep,
                            Budget& budget);

// What halve() may take for so many candidates.
std::size_t halving_cost(std::size_t candidates, std::size_t keep);

}  // namespace berth
