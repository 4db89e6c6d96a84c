// Minimum cut of a network with real capacities, with a value that is certainly not too large.
//
// Costs are real numbers, flows are exact only in integers. Every capacity is multiplied by one
// power of two and rounded down, so
//   (integer cut) / scale  <=  real minimum  <=  real capacity of the side found
// and the two ends differ by less than (arcs cut) / scale. The scale is the largest at which the
// integers still add up. Capacities above an upper bound of the minimum are never cut: they become
// infinite, which keeps one enormous number from costing the small ones their digits.
#pragma once

#include "berth/graph/max_flow.h"

namespace berth {

// Infinity is allowed.
struct RealNetwork : CutNetwork<double> {
  using CutNetwork::CutNetwork;
  void pay_on_source_side(std::uint32_t node, double cost) { to_sink[node] += cost; }
  void pay_on_sink_side(std::uint32_t node, double cost) { from_source[node] += cost; }
};

struct RealCut {
  double bound = 0;  // no cut costs less; infinite: there is no finite cut
  std::vector<std::uint8_t> source_side;
};

// `upper_bound`: some cut is known to cost no more than this.
RealCut minimum_cut(const RealNetwork& network,
                    double upper_bound = std::numeric_limits<double>::infinity());

}  // namespace berth
