// Placements to start a search from, made by other methods.
//
// A method that ignores memory or constraints may still be a good start: its units are moved to
// allowed devices and off overfull ones first. The seed keeps the method's own placement too,
// because it may carry an order (a list schedule) that is better than its devices alone; a search
// that starts from it must never return worse. For a problem that runs in pieces the method solves
// the surrogate problem (surrogate_problem.h); its answer is scored by the real rule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/random.h"
#include "berth/search/search_state.h"
#include "berth/search/seed.h"

namespace berth {

// The methods worth starting from on this problem, best guess first; only those that this build has
// and that scale to its size.
std::vector<std::string> usual_seeds(const Problem& problem);

Seed seed_from(const std::string& spec, const Problem& problem, Budget& budget, const Rng& rng,
               Repair repair = Repair::kToTheEnd);

struct SeedSet {
  std::vector<Seed> seeds;  // those with `units`, best score first; all infeasible, or none
  std::optional<Duration> lower_bound;          // the best that any of them proved
  std::string bound_by;                         // which of them
  std::vector<Contradiction> contradictions{};  // a bound of one above the value of another is none
  std::string reason;                           // why there is none
};

// Runs the methods in turn, as long as the budget lasts (the first always runs). When none gives a
// placement that fits, a packing of the weights is sought; what it gives may still overflow, and
// then has no `placement`: a search may mend it.
SeedSet collect_seeds(const std::vector<std::string>& specs, const Problem& problem, Budget& budget,
                      const Rng& rng);

}  // namespace berth
