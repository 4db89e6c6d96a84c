// What Post is compared with, at equal evaluations.
//
// Learning alone starts from nothing: `post` without seeds, either of its updates alone, `coloc-rl`
// and `random`. With seeds everybody starts from the heuristics: `post`, either update alone, and
// `anneal`. A learned method has the limit of evaluations and as many updates as it allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/post/runs.h"

namespace berth::bench {

struct Competitor {
  std::string name;                // of its column or row
  std::vector<std::string> specs;  // the best of them counts: several for the best heuristic
  bool seeded = true;              // draws at random, so that it runs once for each seed
};

// The heading of a table, and its columns; the first is what the others are compared with.
struct Comparison {
  std::string title;
  std::vector<Competitor> columns;
};

// Specs of learned methods depend on the limit of evaluations. A method that the registry does not
// know is left out.
Comparison learning_alone(std::uint64_t limit);
Comparison from_heuristics(std::uint64_t limit);
// Post without seeds with one part exchanged; the first is Post as it is.
std::vector<Competitor> ablation(std::uint64_t limit);

bool knows_method(const std::string& name);

}  // namespace berth::bench
