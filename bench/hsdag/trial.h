// One method on one problem with several seeds.
//
// Values are medians with the range over the seeds; five seeds do not allow more
// (runtime/estimate.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/place/run_placer.h"
#include "berth/problem.h"
#include "berth/runtime/estimate.h"

namespace berth::bench {

struct Trial {
  std::string spec;
  std::vector<Result> results;  // one per seed; those without placement are left out

  bool empty() const { return results.empty(); }
  Estimate value() const;
  std::optional<Estimate> own() const;  // of what the policies have drawn; empty without a curve
  double seconds() const;               // mean of one run
  std::uint64_t evaluations() const;    // median
  // Median over the seeds of the evaluations after which the best value so far is at most `value`;
  // empty when fewer than half of the seeds get there or the method keeps no curve.
  std::optional<std::uint64_t> evaluations_until(Duration value) const;
};

// `evaluations`: the limit of each run. A method that draws nothing at random runs once.
Trial run_trial(const std::string& spec, const Problem& problem, int seeds,
                std::optional<std::uint64_t> evaluations = std::nullopt);

// Several methods, turn and turn about for each seed.
std::vector<Trial> run_in_turn(const std::vector<std::string>& specs, const Problem& problem,
                               int seeds, const Budget::Limits& limits);

// "9.915", or with several different values "9.915 (9.902 to 9.931)".
std::string value_text(const Trial& trial);

}  // namespace berth::bench
