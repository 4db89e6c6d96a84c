// Where the time of an exact contiguous split goes: reading, preprocessing, the bound of linear
// orders, and the proof over ideals, for every throughput input and for six chains of twelve.
//
//   bench_exact [DATA]     DATA/dnn-partitioning/...; default ../shared/data

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "berth/io/read_problem.h"
#include "berth/place/load/ideal_dp.h"
#include "berth/place/load/linear_dp.h"
#include "berth/place/registry.h"

using namespace berth;

namespace {

class Clock {
 public:
  double lap() {  // seconds since the last lap
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Problem contiguous(const Problem& problem) {
  return problem.with_model(MaxLoad{.route = Route::kHost, .contiguous = true});
}

// `chains` parallel chains of `length` nodes with random times on as many equal accelerators.
Problem chain_bundle(std::size_t chains, std::size_t length, double cost, std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;
  NodeTimes times(chains * length, chains);
  IdVector<TensorId, Duration> transfers;
  std::vector<Device> devices;
  for (std::size_t d = 0; d < chains; ++d)
    devices.push_back({.name = fmt::format("acc{}", d), .kind = DeviceKind::kGpu});
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t i = 0; i < length; ++i) {
      const NodeId node = builder.add_node({.name = fmt::format("{}.{}", chain, i)});
      const Duration time{1000 + 9000 * rng.uniform()};
      for (std::size_t d = 0; d < chains; ++d) times.set(node, static_cast<DeviceId>(d), time);
      if (i > 0) builder.add_use(static_cast<TensorId>(transfers.size() - 1), node);
      if (i + 1 == length) continue;
      builder.add_tensor(node, {});
      transfers.push_back(Duration{cost * rng.uniform()});
    }
  return Problem(fmt::format("{} chains of {}, transfers up to {} ms, seed {}", chains, length,
                             cost / 1000, seed),
                 std::move(builder).build(), Cluster(std::move(devices)),
                 Costs{std::move(times), TransferTimes::per_tensor(std::move(transfers))}, {},
                 MaxLoad{.route = Route::kHost});
}

void measure(const std::string& name, const Problem& problem, double reading) {
  Clock clock;
  const LoadModel model = load_model(problem);
  const double preprocessing = clock.lap();
  Budget budget;
  Rng rng = Rng(1).split("ideal-dp");
  const std::optional<PieceChain> start = best_linear_split(model, 40, budget, rng.split("orders"));
  const double bound = clock.lap();
  const Outcome outcome = run_method("ideal-dp", problem, budget, rng);
  const double all = clock.lap();
  fmt::print("| {} | {} | {:.4f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", name,
             outcome.proven_optimal ? "proven" : "not proven",
             outcome.lower_bound.value_or(Duration{0}).count() / 1000, reading, preprocessing,
             bound, std::max(0.0, all - preprocessing - bound));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path data = argc > 1 ? argv[1] : "../shared/data";
  fmt::print(
      "| input | | bound ms | reading s | preprocessing s | linear orders s | ideals s |\n"
      "|---|---|---|---|---|---|---|\n");
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = data / "dnn-partitioning" / "throughput-inputs";
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    Clock clock;
    const Problem problem = contiguous(read_problem(file));
    const double reading = clock.lap();
    measure(file.parent_path().filename().string() + " " + file.stem().string(), problem, reading);
  }
  for (const double cost : {0.0, 2000.0, 8000.0})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Problem problem = contiguous(chain_bundle(6, 12, cost, seed));
      measure(problem.name(), problem, 0);
    }
}
