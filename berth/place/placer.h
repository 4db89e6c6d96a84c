// The interface of every algorithm: Problem, Budget, Rng -> Outcome.
#pragma once

#include "berth/base/random.h"
#include "berth/problem.h"
#include "berth/search/budget.h"
#include "berth/search/outcome.h"

namespace berth {

class Placer {
 public:
  virtual ~Placer() = default;
  // The problem has at least one node and every node runs on at least one device (run_placer
  // checks). The placement is verified afterwards by run_placer; a placer that knows that nothing
  // fits returns no placement and the reason.
  virtual Outcome place(const Problem& problem, Budget& budget, Rng& rng) const = 0;
};

}  // namespace berth
