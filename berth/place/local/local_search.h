// Local search: a descent by moves and swaps (search/descent.h) from the placement of another
// method.
#pragma once

#include <string>

#include "berth/place/context.h"
#include "berth/search/descent.h"

namespace berth {

struct LocalSearchOptions : DescentOptions {
  std::string start = "greedy";  // the spec of the placer to start from

  void visit(auto& v) {
    v("start", start, "spec of the method to start from");
    v("first_above", first_above, "evaluations per round above which the first gain is taken");
    v("swaps", swaps, "swaps tried at a local optimum of single moves");
  }
};

void local_search(const Context& context, const LocalSearchOptions& options);

}  // namespace berth
