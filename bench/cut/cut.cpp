// How long minimum cuts and the placer built on them take, and how push-relabel compares with
// Dinic.
#include <benchmark/benchmark.h>

#include "bench/cut/dinic.h"
#include "bench/support/random_network.h"
#include "berth/base/error.h"
#include "berth/graph/max_flow.h"
#include "berth/place/cut/sequential_cut.h"
#include "berth/place/registry.h"

namespace berth {
namespace {

// The placer alone: sequential execution, reading the problem to the Outcome.
void sequential_cut(benchmark::State& state) {
  const Problem problem =
      bench::random_network(static_cast<std::size_t>(state.range(0)),
                            static_cast<std::size_t>(state.range(1)), 1, Sequential{});
  for (auto _ : state) {
    Budget budget;
    Rng rng(1);
    const Outcome outcome = run_method("sequential-cut", problem, budget, rng);
    if (!outcome.placement) throw Error(outcome.reason);
    if (state.range(1) == 2 && !outcome.proven_optimal) throw Error("the cut is not proven");
  }
}

enum Kind : std::int64_t { kNetwork = 0, kChain = 1 };

// The network of a two-device placement. A chain prefers one device in its first half and the
// other in its second, and sending is dear: flow travels far.
FlowNetwork flow_network(std::size_t nodes, std::int64_t kind) {
  Rng rng(1);
  FlowNetwork network(nodes);
  for (std::uint32_t v = 0; v < nodes; ++v) {
    const double base = 1e4 * (1 + 10 * rng.exponential());
    const double ratio = kind == kChain ? (2 * v < nodes ? 0.5 : 2.0) * (0.5 + rng.uniform())
                                        : 0.25 + 3 * rng.uniform();
    network.add_terminals(v, static_cast<Capacity>(base * ratio), static_cast<Capacity>(base));
    if (v == 0) continue;
    const double scale = kind == kChain ? 1e9 : 1e4;
    const auto there = static_cast<Capacity>(scale * (0.2 + rng.exponential()));
    const auto back = static_cast<Capacity>(scale * (0.2 + rng.exponential()));
    network.add_arc(v - 1, v, there, back);
    if (kind == kChain || v < 24 || v % 2 == 0) continue;
    // A second consumer, so that the tensor needs a node for each direction.
    const std::uint32_t from = v - 2 - static_cast<std::uint32_t>(rng.below(20));
    const std::uint32_t x = network.add_node(), y = network.add_node();
    network.add_arc(from, x, there);
    network.add_arc(y, from, back);
    for (const std::uint32_t to : {v, v - 1}) {
      network.add_arc(x, to, kInfiniteCapacity);
      network.add_arc(to, y, kInfiniteCapacity);
    }
  }
  return network;
}

void push_relabel(benchmark::State& state) {
  const FlowNetwork network =
      flow_network(static_cast<std::size_t>(state.range(0)), state.range(1));
  Capacity value = 0;
  for (auto _ : state) benchmark::DoNotOptimize(value = minimum_cut(network).value);
  if (state.range(0) <= 10000 && bench::Dinic(network).run() != value)
    throw Error("the competitors do not agree");
}
void dinic(benchmark::State& state) {
  const FlowNetwork network =
      flow_network(static_cast<std::size_t>(state.range(0)), state.range(1));
  Capacity value = 0;
  for (auto _ : state) benchmark::DoNotOptimize(value = bench::Dinic(network).run());
  if (minimum_cut(network).value != value) throw Error("the competitors do not agree");
}

// Nodes, devices.
BENCHMARK(sequential_cut)
    ->Args({1000, 2})
    ->Args({10000, 2})
    ->Args({50000, 2})
    ->Args({10000, 4})
    ->Args({50000, 4})
    ->Unit(benchmark::kMillisecond);
// Nodes, kind.
BENCHMARK(push_relabel)
    ->Args({10000, kNetwork})
    ->Args({50000, kNetwork})
    ->Args({10000, kChain})
    ->Args({50000, kChain})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dinic)
    ->Args({10000, kNetwork})
    ->Args({50000, kNetwork})
    ->Args({10000, kChain})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
