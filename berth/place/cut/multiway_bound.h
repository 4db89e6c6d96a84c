// A lower bound of the additive cost on any number of devices: the linear relaxation.
//
// x[u,d] is the share of unit u on device d. For a tensor t from unit u to units w, and each
// receiving device y, what is not already on y has to be sent there:
//   sum over d of x[u,d] = 1
//   s[t,y] >= x[w,y] - x[u,y]   for every w; costs c(t,y), where c does not depend on the sender
// where it does, a flow z[t,x,y] from senders to receivers replaces s:
//   one consumer w:   sum over y of z[t,x,y] = x[u,x],  sum over x of z[t,x,y] = x[w,y]
//   several:          z[t,x,y] <= x[u,x],  sum over x of z[t,x,y] >= x[w,y] for every w
// Rows for memory (weights only, which every schedule holds) and for units that stay apart are
// added. The bound is taken from the dual multipliers by weak duality, so it holds whatever the
// solver's tolerances did. For two devices this is a minimum cut, which is far cheaper.
//
// Calinescu, Karloff and Rabani, An Improved Approximation Algorithm for Multiway Cut, 2000;
// Chekuri, Khanna, Naor and Zosin, A Linear Programming Formulation and Approximation Algorithms
// for the Metric Labeling Problem, 2004.
#pragma once

#include "berth/place/cut/additive_cost.h"
#include "berth/search/budget.h"

namespace berth {

struct MultiwayBound {
  Duration value{0};
  UnitDevices rounded;  // each unit where its share is largest: a start for search, no more
};

// Empty when the budget ends first. Needs milp_available().
std::optional<MultiwayBound> multiway_bound(const AdditiveCost& cost, const Budget& budget);

}  // namespace berth
