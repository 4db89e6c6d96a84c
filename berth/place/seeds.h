// Placements to start a search from, made by other methods.
//
// A method that ignores memory or constraints may still be a good start: its units are moved to
// allowed devices and off overfull ones first. The seed keeps the method's own placement too,
// because it may carry an order (a list schedule) that is better than its devices alone; a search
// that starts from it must never return worse.
#pragma once

#include <optional>
#include <string>

#include "berth/place/placer.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Seed {
  std::string spec;
  std::optional<IdVector<UnitId, DeviceId>> units;  // allowed and fitting, or empty
  std::optional<Placement> placement;               // the method's own, when it is feasible
  Score score;                                      // the better of the two
  std::optional<Duration> lower_bound;
  bool proven_optimal = false;
  std::string reason;                               // why `units` is empty
};

Seed seed_from(const std::string& spec, const Problem& problem, Budget& budget, const Rng& rng);

// The seed's own placement or the one found from it, whichever scores better.
Outcome better_of(const Problem& problem, const Seed& seed, Placement found);

}  // namespace berth
