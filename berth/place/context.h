// What a method is given: the problem, by nodes and by units, and where its findings go.
//
// A method is an options struct and a function over this. It offers placements and bounds to the
// incumbent, which judges them, and returns when it has nothing more to find or the budget is
// spent. The problem has at least one node and every node runs on at least one device. A method
// that knows that nothing fits says why (Incumbent::fail).
#pragma once

#include "berth/base/random.h"
#include "berth/problem.h"
#include "berth/search/budget.h"
#include "berth/search/incumbent.h"
#include "berth/unit_graph.h"

namespace berth {

struct Context {
  const Problem& problem;
  const UnitGraph& units;
  Incumbent& incumbent;
  Budget& budget;
  Rng rng;

  Context(const Problem& of, Incumbent& to, Budget& within, Rng stream)
      : problem(of), units(unit_graph(of)), incumbent(to), budget(within), rng(stream) {}
};

}  // namespace berth
