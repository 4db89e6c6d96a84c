// Placements to start a search from, made by other methods.
//
// A method that ignores memory or constraints may still be a good start: its units are moved to
// allowed devices and off overfull ones first. The seed keeps the method's own placement too,
// because it may carry an order (a list schedule) that is better than its devices alone; a search
// that starts from it must never return worse. For a problem that runs in pieces the method solves
// the surrogate problem (surrogate_problem.h); its answer is scored by the real rule.
#pragma once

#include <string>
#include <vector>

#include "berth/place/context.h"
#include "berth/search/search_state.h"
#include "berth/search/seed.h"

namespace berth {

// The methods worth starting from on this problem, as their traits say, in the order of the table.
std::vector<std::string> usual_seeds(const Problem& problem);

// Runs one method. Its placement, repaired where needed, and what it proved go to the incumbent.
Seed seed_from(const std::string& spec, const Context& context, Repair repair = Repair::kToTheEnd);

// Runs the methods in turn, as long as the budget lasts (the first always runs); those with
// `units`, best score first. When none gives a placement that fits, a packing of the weights is
// sought; what it gives may still overflow: a search may mend it. When there is none, the incumbent
// knows why.
std::vector<Seed> collect_seeds(const std::vector<std::string>& specs, const Context& context);

}  // namespace berth
