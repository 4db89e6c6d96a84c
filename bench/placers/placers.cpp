// How long a whole run of a placer takes on large networks, verification and bound included.
#include <benchmark/benchmark.h>

#include "bench/support/random_network.h"
#include "berth/base/error.h"
#include "berth/place/run_placer.h"

namespace berth {
namespace {

void place(benchmark::State& state, const char* spec, ExecutionModel model) {
  const Problem problem = bench::random_network(static_cast<std::size_t>(state.range(0)),
                                                static_cast<std::size_t>(state.range(1)), 1, model);
  for (auto _ : state) {
    const Result result = run_placer(spec, problem);
    if (!result.placement) throw Error(result.reason);
    state.counters["value_ms"] = in_milliseconds(result.simulation->value);
  }
}

void heft(benchmark::State& state) { place(state, "heft", {}); }
void greedy(benchmark::State& state) { place(state, "greedy", {}); }
void etf(benchmark::State& state) { place(state, "etf", {}); }
void m_etf(benchmark::State& state) { place(state, "m-etf", {}); }
void sequential_cut(benchmark::State& state) { place(state, "sequential-cut", Sequential{}); }

// Nodes, devices.
BENCHMARK(heft)
    ->Args({1000, 4})
    ->Args({50000, 4})
    ->Args({1000000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(greedy)->Args({1000, 4})->Args({50000, 4})->Unit(benchmark::kMillisecond);
BENCHMARK(etf)->Args({1000, 4})->Args({50000, 4})->Unit(benchmark::kMillisecond);
BENCHMARK(m_etf)->Args({1000, 4})->Args({50000, 4})->Unit(benchmark::kMillisecond);
BENCHMARK(sequential_cut)
    ->Args({1000, 2})
    ->Args({50000, 2})
    ->Args({50000, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
