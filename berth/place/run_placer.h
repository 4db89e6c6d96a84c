// The one door: every run of every placer comes through here.
//
// It times the run, verifies the placement against the problem with the simulator (never trusting
// the placer's own arithmetic), adds the best cheap lower bound (bounds.h), and records spec, seed
// and effort beside the result. A bound above the simulated value is a contradiction (claims.h):
// the result names it and keeps the value, which is certain, without the claim.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/place/registry.h"
#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Result {
  std::string method;                    // "heft"
  std::string spec;                      // canonical: "heft(insertion=false)"
  std::optional<Placement> placement;    // feasible, or empty
  std::optional<Simulation> simulation;  // of the placement
  std::optional<Duration> lower_bound;
  bool proven_optimal = false;
  bool contiguous = false;  // bound and proof hold among contiguous splits only
  bool impossible = false;  // proven: no placement fits, or no contiguous one
  std::string reason;       // why there is no placement
  std::vector<std::string> warnings;
  std::vector<Contradiction> contradictions;  // defects: claims that what was found refutes
  std::string found_by;                       // the spec that found it, when that is another method
  std::vector<Improvement> improvements;      // each better placement as it was found
  std::vector<CurvePoint> curve;              // learned methods: how training went
  std::optional<Duration> measured;  // the placement's time in real runs, by methods that measure
  double seconds = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t measurements = 0;  // placements run for real
  std::uint64_t seed = 1;

  std::optional<double> gap() const;  // value / bound - 1
};

Result run_placer(const std::string& spec, const Problem& problem, std::uint64_t seed,
                  Budget& budget);
// A method that the registry may not know.
Result run_placer(const Method& run, const std::string& method, const std::string& spec,
                  const Problem& problem, std::uint64_t seed, Budget& budget);
Result run_placer(const std::string& spec, const Problem& problem, std::uint64_t seed = 1);

}  // namespace berth
