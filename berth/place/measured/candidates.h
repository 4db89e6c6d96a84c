// Placements that real runs shall decide between.
//
// Single devices are safe: they are what a split has to beat. All others are guesses, best first.
// Placements that break a limit, and those that are there already, are not taken. An order is
// dropped: real devices follow their own queues.
#pragma once

#include <cstddef>
#include <vector>

#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/search/incumbent.h"

namespace berth {

class Candidates {
 public:
  explicit Candidates(const Problem& problem);  // holds the single devices
  void add(Placement placement);
  std::size_t count() const { return safe_.size() + others_.size(); }

  // The one that real runs show to be the fastest (measured_choice.h) becomes the incumbent's;
  // when none runs, it keeps its own, with a note.
  void choose(std::size_t most, int measurements, Budget& budget, Incumbent& incumbent) const;

 private:
  bool is_new(const Placement& placement) const;

  const Problem& problem_;
  Evaluator evaluator_;
  std::vector<Placement> safe_, others_;
};

}  // namespace berth
