// A placement to start a search from: made by another method, repaired, and never to be lost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/search/outcome.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Seed {
  std::string spec;
  std::optional<IdVector<UnitId, DeviceId>> units;  // allowed and fitting, or empty
  std::optional<Placement> placement;               // the method's own, when it is feasible
  Score score;                                      // the better of the two
  std::optional<Duration> lower_bound;
  bool proven_optimal = false;
  std::vector<Contradiction> contradictions{};
  std::string reason;  // why `units` is empty
};

// The seed's own placement or the one found from it, whichever scores better.
Outcome better_of(const Problem& problem, const Seed& seed, Placement found);

}  // namespace berth
