#include "berth/graph/real_cut.h"

#include <cassert>
#include <cmath>

namespace berth {
namespace {

// Half of what max_flow.h allows, since rounding the sum itself may lose a little.
constexpr int kLargestExponent = 60;

class Rounding {
 public:
  Rounding(const RealNetwork& network, double upper_bound)
      // A little above, so that the bound's own rounding error cannot exclude the optimum.
      : limit_(upper_bound * (1 + 1e-9)) {
    double total = 0;
    const auto count_in = [&](double cost) {
      assert(cost >= 0);  // the caller moves negative costs to the other side
      if (finite(cost)) total += cost;
    };
    for (std::size_t v = 0; v < network.node_count(); ++v) {
      count_in(network.from_source[v]);
      count_in(network.to_sink[v]);
    }
    for (const RealNetwork::Arc& arc : network.arcs) {
      count_in(arc.capacity);
      count_in(arc.back);
    }
    int exponent = 0;
    std::frexp(total, &exponent);  // total < 2^exponent
    shift_ = total > 0 ? kLargestExponent - exponent : 0;
  }

  Capacity down(double cost) const {
    return finite(cost) ? static_cast<Capacity>(std::floor(std::ldexp(cost, shift_)))
                        : kInfiniteCapacity;
  }
  double back(Capacity value) const { return std::ldexp(static_cast<double>(value), -shift_); }

 private:
  bool finite(double cost) const { return cost <= limit_ && std::isfinite(cost); }

  double limit_;
  int shift_ = 0;
};

}  // namespace

RealCut minimum_cut(const RealNetwork& network, double upper_bound) {
  const Rounding round(network, upper_bound);
  FlowNetwork integers(network.node_count());
  for (std::uint32_t v = 0; v < network.node_count(); ++v)
    integers.add_terminals(v, round.down(network.from_source[v]), round.down(network.to_sink[v]));
  integers.arcs.reserve(network.arcs.size());
  for (const RealNetwork::Arc& arc : network.arcs)
    integers.add_arc(arc.from, arc.to, round.down(arc.capacity), round.down(arc.back));

  MinimumCut cut = minimum_cut(integers);
  return {cut.value == kInfiniteCapacity ? std::numeric_limits<double>::infinity()
                                         : round.back(cut.value),
          std::move(cut.source_side)};
}

}  // namespace berth
