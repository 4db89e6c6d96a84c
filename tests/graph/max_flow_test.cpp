#include "berth/graph/max_flow.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/random.h"
#include "tests/support/effort.h"

namespace berth {
namespace {

// What a given side costs; kInfiniteCapacity if it cuts an infinite arc.
Capacity cut_capacity(const FlowNetwork& network, const std::vector<std::uint8_t>& source_side) {
  Capacity sum = 0;
  bool infinite = false;
  const auto pay = [&](Capacity capacity) {
    if (capacity == kInfiniteCapacity)
      infinite = true;
    else
      sum += capacity;
  };
  for (std::size_t v = 0; v < network.node_count(); ++v)
    pay(source_side[v] ? network.to_sink[v] : network.from_source[v]);
  for (const auto& arc : network.arcs) {
    if (source_side[arc.from] && !source_side[arc.to]) pay(arc.capacity);
    if (source_side[arc.to] && !source_side[arc.from]) pay(arc.back);
  }
  return infinite ? kInfiniteCapacity : sum;
}

// The least capacity over all sides, and the union of all sides that reach it.
MinimumCut brute_force(const FlowNetwork& network) {
  const std::size_t n = network.node_count();
  MinimumCut best{kInfiniteCapacity, std::vector<std::uint8_t>(n, 0)};
  std::vector<std::uint8_t> side(n);
  for (std::uint32_t mask = 0; mask < (1U << n); ++mask) {
    for (std::size_t v = 0; v < n; ++v) side[v] = (mask >> v) & 1U;
    const Capacity value = cut_capacity(network, side);
    if (value > best.value || value == kInfiniteCapacity) continue;
    if (value < best.value) std::fill(best.source_side.begin(), best.source_side.end(), 0);
    best.value = value;
    for (std::size_t v = 0; v < n; ++v) best.source_side[v] |= side[v];
  }
  return best;
}

Capacity random_capacity(Rng& rng, double infinite) {
  if (rng.uniform() < infinite) return kInfiniteCapacity;
  return static_cast<Capacity>(rng.below(6));  // small numbers make ties
}

FlowNetwork random_network(Rng& rng) {
  const std::size_t n = rng.below(9);
  FlowNetwork network(n);
  const double terminals = rng.uniform(), infinite = rng.uniform() < 0.5 ? 0.0 : 0.15;
  for (std::uint32_t v = 0; v < n; ++v) {
    if (rng.uniform() < terminals) network.add_terminals(v, random_capacity(rng, infinite), 0);
    if (rng.uniform() < terminals) network.add_terminals(v, 0, random_capacity(rng, infinite));
  }
  for (std::size_t a = n == 0 ? 0 : rng.below(4 * n); a-- > 0;) {
    const auto from = static_cast<std::uint32_t>(rng.below(n));
    const auto to = static_cast<std::uint32_t>(rng.below(n));
    network.add_arc(from, to, random_capacity(rng, infinite),
                    rng.uniform() < 0.3 ? random_capacity(rng, infinite) : 0);
  }
  return network;
}

}  // namespace

TEST_CASE("minimum cuts of thousands of random networks equal the best of all cuts") {
  Rng rng(3);
  int infinite = 0;
  for (int trial = 0; trial < effort(20000); ++trial) {
    CAPTURE(trial);
    const FlowNetwork network = random_network(rng);
    const MinimumCut expected = brute_force(network), found = minimum_cut(network);
    REQUIRE(found.value == expected.value);
    if (found.value == kInfiniteCapacity) {
      ++infinite;
      continue;
    }
    REQUIRE(found.source_side == expected.source_side);
    REQUIRE(cut_capacity(network, found.source_side) == found.value);
  }
  CHECK(infinite > effort(100));
}

TEST_CASE("a network without nodes has a free cut") {
  CHECK(minimum_cut(FlowNetwork(0)).value == 0);
}

TEST_CASE("a node between infinite arcs to both terminals cannot be cut") {
  FlowNetwork network(3);
  network.add_terminals(0, kInfiniteCapacity, 0);
  network.add_terminals(2, 0, kInfiniteCapacity);
  network.add_arc(0, 1, kInfiniteCapacity);
  CHECK(minimum_cut(network).value == 0);
  network.add_arc(1, 2, kInfiniteCapacity);
  CHECK(minimum_cut(network).value == kInfiniteCapacity);
}

TEST_CASE("capacities near the limit do not overflow") {
  const Capacity big = FlowNetwork::kLargestTotal / 8;
  FlowNetwork network(3);
  network.add_terminals(0, big, 0);
  network.add_terminals(1, big, 0);
  network.add_terminals(2, 0, 3 * big);
  network.add_arc(0, 2, kInfiniteCapacity);
  network.add_arc(1, 2, kInfiniteCapacity, 1);
  CHECK(minimum_cut(network).value == 2 * big);
}

TEST_CASE("a chain of 100000 nodes is cut at its weakest arc, in both directions") {
  // All excess sits at one end and the sink at the other: every unit of flow travels the chain.
  for (const bool reversed : {false, true}) {
    const std::uint32_t n = 100000, weak = 61234;
    FlowNetwork network(n);
    for (std::uint32_t v = 0; v + 1 < n; ++v) {
      const Capacity capacity = v == weak ? 7 : 10 + v % 13;
      network.add_arc(v, v + 1, reversed ? 0 : capacity, reversed ? capacity : 0);
    }
    network.add_terminals(reversed ? n - 1 : 0, kInfiniteCapacity, 0);
    network.add_terminals(reversed ? 0 : n - 1, 0, 1000);
    const MinimumCut cut = minimum_cut(network);
    CHECK(cut.value == 7);
    CHECK(cut.source_side[weak] == !reversed);
    CHECK(cut.source_side[weak + 1] == reversed);
  }
}

TEST_CASE("large random networks have a cut as large as the flow delivered") {
  // The value is the flow; the side's capacity is a cut. Equal means that both are optimal.
  Rng rng(8);
  for (int trial = 0; trial < 20; ++trial) {
    const std::uint32_t n = 2000;
    const std::uint32_t reach = trial % 2 == 0 ? 5 : n;  // deep networks, then shallow ones
    FlowNetwork network(n);
    for (std::uint32_t v = 0; v < n; ++v)
      network.add_terminals(v, static_cast<Capacity>(rng.below(1000)),
                            static_cast<Capacity>(rng.below(1000)));
    for (std::uint32_t a = 0; a < 3 * n; ++a) {
      const auto from = static_cast<std::uint32_t>(rng.below(n));
      const auto to = static_cast<std::uint32_t>((from + 1 + rng.below(reach)) % n);
      network.add_arc(from, to, static_cast<Capacity>(rng.below(2000)),
                      rng.uniform() < 0.2 ? kInfiniteCapacity : 0);
    }
    const MinimumCut cut = minimum_cut(network);
    CHECK(cut_capacity(network, cut.source_side) == cut.value);
  }
}

}  // namespace berth
