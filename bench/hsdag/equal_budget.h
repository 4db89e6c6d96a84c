// Learned placement against annealing at equal budgets, on problem files.
//
// Equal evaluations: what the policy itself has drawn, without refinement (the curve's `own`), with
// the heuristics as its start and without. Equal seconds: all that a method finds. Methods take
// turns, seed by seed, so that other programs meet all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::bench {

void print_equal_evaluations(const std::vector<std::string>& files,
                             const std::vector<std::uint64_t>& budgets, int seeds);
void print_equal_seconds(const std::vector<std::string>& files, double seconds, int seeds);

}  // namespace berth::bench
