// Large-neighbourhood search on the largest load: free a part, solve it by integer programming.
//
// Two kinds of neighbourhood, each a small program (load_program.h):
//   devices   the busiest device and one or two others give up all their units, which are dealt
//             anew among them; those that share most net weight with the busiest come first. Loads
//             of the other devices do not change, because a net that crosses their border still
//             does. The largest load of the freed devices is minimised.
//   window    a connected set of units around one of the busiest device may go anywhere.
// Any gain is kept. A set of devices that has been searched in vain is left alone until one of
// them changes. Where the value is the sum of two maxima (GPipe) a change must lower the value
// itself; otherwise it is enough that the freed devices become less loaded, for the value falls
// when the last of equally busy devices does. Every program has a node limit, so that one seed
// gives one result.
//
// Shaw, Using Constraint Programming and Local Search Methods to Solve Vehicle Routing Problems,
// CP 1998.
#pragma once

#include <functional>

#include "berth/base/random.h"
#include "berth/place/load/load_program.h"

namespace berth {

struct LargeNeighbourhoodOptions {
  int rounds = 200;     // programs to solve; 0: until the budget ends or nothing is left to try
  double seconds = 10;  // limit of each where the budget is a time; ignored otherwise
  double floor = 0;     // microseconds: a value that cannot be beaten
};

// An assignment at least as good as `start`, which must obey memory and constraints. `improved`
// hears every assignment with a smaller value.
SlotOfUnit large_neighbourhood_search(const LoadModel& model, SlotOfUnit start,
                                      const LargeNeighbourhoodOptions& options, Budget& budget,
                                      Rng rng,
                                      const std::function<void(const SlotOfUnit&)>& improved = {});

}  // namespace berth
