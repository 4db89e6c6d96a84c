// How long one full evaluation takes, by execution model and size.
//
// Random placements (every second edge crosses, the worst case for all models) on random networks
// with 1.5 edges per node and 4 devices; the evaluator is warm, as in a search.
#include <benchmark/benchmark.h>

#include "bench/support/random_network.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

constexpr std::size_t kPlacements = 16;

void evaluate(benchmark::State& state, ExecutionModel model) {
  const Problem problem =
      bench::random_network(static_cast<std::size_t>(state.range(0)), 4, 1, model);
  Rng rng(7);
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < kPlacements; ++i)
    placements.push_back(bench::random_placement(problem, rng));
  Evaluator evaluator(problem);
  for (const Placement& placement : placements) benchmark::DoNotOptimize(evaluator(placement));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(evaluator(placements[next++ % kPlacements]));
  state.counters["ns/(V+E)"] = benchmark::Counter(
      static_cast<double>(problem.node_count() + problem.graph().edge_count()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void concurrent(benchmark::State& state) { evaluate(state, {}); }
void pipeline(benchmark::State& state) { evaluate(state, MaxLoad{.route = Route::kLinks}); }
void call_throughput(benchmark::State& state) { evaluate(state, MaxLoad{.route = Route::kHost}); }
void sequential(benchmark::State& state) { evaluate(state, Sequential{}); }
void call_latency(benchmark::State& state) { evaluate(state, CallLatency{.pieces = 1000}); }

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1000)->Arg(10000)->Arg(50000)->Arg(1000000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(concurrent)->Apply(sizes);
BENCHMARK(pipeline)->Apply(sizes);
BENCHMARK(call_throughput)->Apply(sizes);
BENCHMARK(sequential)->Apply(sizes);
BENCHMARK(call_latency)->Arg(1000)->Arg(50000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth
