// Simulated annealing (search/annealing.h) from seeds. With `lns`, large neighbourhoods of the
// result are then solved exactly (place/load/large_neighbourhood.h).
#pragma once

#include <string>

#include "berth/place/context.h"
#include "berth/search/annealing.h"

namespace berth {

struct AnnealOptions : AnnealingOptions {
  std::string seeds;  // methods to start from, joined by '+'; empty: the usual ones
  bool lns = false;   // then free and solve parts by integer programming (call throughput)

  void visit(auto& v) {
    v("chains", chains, "independent runs in each round");
    v("rounds", rounds, "rounds that share the budget, each from the best of those before");
    v("steps", steps, "evaluations in all; 0: by the size of the problem");
    v("hot", hot, "first temperature, as a fraction of the starting value");
    v("cold", cold, "last temperature, likewise");
    v("seeds", seeds, "methods to start from, joined by '+'; empty: the usual ones");
    v("lns", lns,
      "call throughput: then large neighbourhoods, parts solved by integer programming");
    v("threads", threads, "threads; 0: all cores");
  }
};

void anneal(const Context& context, const AnnealOptions& options);

}  // namespace berth
