// Minimum cut of a network with real capacities, with a value that is certainly not too large.
//
// Costs are real numbers, flows are exact only in integers. Every capacity is multiplied by one
// power of two and rounded down, so
//   (integer cut) / scale  <=  real minimum  <=  real capacity of the side found
// and the two ends differ by less than (arcs cut) / scale. The scale is the largest at which the
// integers still add up. Capacities above an upper bound of the minimum are never cut: they become
// infinite, which keeps one enormous number from costing the small ones their digits.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace berth {

// As FlowNetwork (max_flow.h), in doubles; infinity is allowed.
class RealNetwork {
 public:
  explicit RealNetwork(std::size_t nodes = 0) : from_source(nodes, 0), to_sink(nodes, 0) {}

  std::size_t node_count() const { return from_source.size(); }
  std::uint32_t add_node() {
    from_source.push_back(0);
    to_sink.push_back(0);
    return static_cast<std::uint32_t>(node_count() - 1);
  }
  void add_arc(std::uint32_t from, std::uint32_t to, double capacity, double back = 0) {
    arcs.push_back({from, to, capacity, back});
  }
  void pay_on_source_side(std::uint32_t node, double cost) { to_sink[node] += cost; }
  void pay_on_sink_side(std::uint32_t node, double cost) { from_source[node] += cost; }

  struct Arc {
    std::uint32_t from, to;
    double capacity, back;
  };
  std::vector<Arc> arcs;
  std::vector<double> from_source, to_sink;
};

struct RealCut {
  double bound = 0;  // no cut costs less; infinite: there is no finite cut
  std::vector<std::uint8_t> source_side;
};

// `upper_bound`: some cut is known to cost no more than this.
RealCut minimum_cut(const RealNetwork& network,
                    double upper_bound = std::numeric_limits<double>::infinity());

}  // namespace berth
