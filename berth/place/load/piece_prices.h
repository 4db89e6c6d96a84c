// Prices for the units of a piece: a bound on the largest load, and rows that tighten its program.
//
// The linear relaxation of load_program.h spreads every unit evenly over all devices and cuts no
// net, so its bound is the work alone. A real piece S of the first class that keeps its load within
// the limit U cannot do that. For any price pi(u) of every unit,
//   load(S) >= pi(S) - h(pi),        h(pi) = max over pieces S within U of  pi(S) - load(S)
// and h is a small program: one binary per unit, one cut per net, no symmetry. Another class c
// cannot gain more than pi(u) <= nu_c time_c(u) allows. All devices together cover every unit once:
//   T (n_0 + sum of n_c nu_c)  >=  sum of pi(u)  -  n_0 h(pi)
// for any split with T <= U, which is the bound of Dantzig and Wolfe's decomposition into pieces.
// With pi = time it is the work plus the least cut of any piece; prices that rise where pieces have
// two borders and fall where they have one do better. When the other devices cannot do all the
// work, S must do at least W - U (sum of their speeds), which leaves small pieces out.
//
// The best prices maximise a concave function, known by its values and by the pieces that attain
// them: Kelley's cutting planes in a box around the best prices so far, which grows after a gain
// and shrinks otherwise (Marsten, Hogan and Blankenship, The Boxstep Method, 1975). The pieces of
// known splits are the first planes, and keep the master program bounded. One small integer program
// and one linear program per round.
#pragma once

#include <functional>

#include "berth/place/load/load_model.h"
#include "berth/search/budget.h"

namespace berth {

using SlotOfUnit = std::vector<std::uint32_t>;  // see load_program.h

// load >= sum of the prices of its units - most, for every piece of the first class within the
// limit. Microseconds.
struct PieceRow {
  std::vector<double> price;  // by unit
  double most = 0;
};

// Pieces met so far and the best prices: what a later search goes on from. Microseconds.
struct PriceMemory {
  struct Plane {
    std::vector<std::uint32_t> units;
    double load = 0;  // at least
  };
  std::vector<Plane> planes;
  std::vector<double> price, weight;  // by unit; by class, from class 1 on
};

struct PiecePrices {
  std::vector<PieceRow>
      rows;          // at the plain times, and the best found; none where nothing is known
  double bound = 0;  // microseconds: no split within the limit has a smaller largest load
};

// Nothing is found where cuts do not add to the load (overlap) or halves are apart. `limit` in
// microseconds; `known` are good splits. `raised` hears every better bound. With a memory the
// search goes on where the last one with it ended; its limit may have fallen since.
PiecePrices price_pieces(const LoadModel& model, double limit, const std::vector<SlotOfUnit>& known,
                         int rounds, Budget& budget, const std::function<void(double)>& raised = {},
                         PriceMemory* memory = nullptr);

}  // namespace berth
