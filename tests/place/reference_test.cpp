// Published splits of dnn-partitioning, evaluated again: what reference.csv says of the expert,
// single and greedy rows, read from the file itself. Its values have six digits.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "berth/io/placement_json.h"
#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/shared_data.h"

using namespace berth;

namespace {

constexpr double kTolerance = 1e-4;

using Row = std::map<std::string, std::string>;

// One line of comma-separated values; quotes protect commas.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else if (c != '\r')
      result.back() += c;
  }
  return result;
}

std::vector<Row> read_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = cells(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = cells(line);
    Row row;
    for (std::size_t i = 0; i < header.size() && i < values.size(); ++i) row[header[i]] = values[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

// The rows that wanted(row) accepts, with the directory they speak of; none without shared data.
template <class Wanted>
std::vector<Row> reference_rows(std::filesystem::path& root, const Wanted& wanted) {
  const auto path = shared_data("dnn-partitioning/reference.csv");
  if (!path) return {};
  root = path->parent_path();
  std::vector<Row> rows;
  for (Row& row : read_rows(*path))
    if (wanted(row)) rows.push_back(std::move(row));
  REQUIRE_FALSE(rows.empty());
  return rows;
}

Problem read_input(const std::filesystem::path& root, const Row& row,
                   const ReadOptions& options = {}) {
  const Problem problem = read_problem(root / row.at("input"), options);
  CHECK(problem.model() == MaxLoad{.route = Route::kHost});
  return row.at("objective") == "latency" ? problem.with_model(CallLatency{}) : problem;
}

// Of the model itself, or of its inference form: a training split follows from it by colour.
std::filesystem::path expert_split(const std::filesystem::path& root, const Row& row) {
  const std::string stem = std::filesystem::path(row.at("input")).stem().string();
  const std::filesystem::path own = root / "human-experts" / (stem + "_expert.json");
  if (std::filesystem::exists(own)) return own;
  const std::string model = stem.substr(0, stem.rfind('_'));
  return root / "human-experts" / (model + "_inference_expert.json");
}

std::size_t accelerators_of(const std::filesystem::path& split) {
  std::ifstream file(split);
  return nlohmann::json::parse(file).at("fpgas").size();
}

// The input with as many accelerators as the split uses: the experts gave bert24 six, of which its
// latency input has five, and the reference value is of all six.
Problem read_input_for(const std::filesystem::path& split, const std::filesystem::path& root,
                       const Row& row) {
  const Problem problem = read_input(root, row);
  std::vector<Device> devices, hosts;
  for (const DeviceId id : problem.devices()) {
    const Device& device = problem.cluster().device(id);
    (device.is_host() ? hosts : devices).push_back(device);
  }
  REQUIRE_FALSE(devices.empty());
  if (devices.size() >= accelerators_of(split)) return problem;
  while (devices.size() < accelerators_of(split)) {
    devices.push_back(devices.front());
    devices.back().name = fmt::format("acc{}", devices.size() - 1);
  }
  devices.insert(devices.end(), hosts.begin(), hosts.end());
  ReadOptions options;
  options.cluster = Cluster(devices);
  return read_input(root, row, options);
}

bool breaks_memory(const Row& row) {
  return row.at("note").find("breaks the memory limit") != std::string::npos;
}

void check_split(const Problem& problem, const Placement& placement, const Row& row) {
  const double expected = std::stod(row.at("value"));
  const Simulation simulation = simulate(problem, placement);
  CHECK(std::abs(in_milliseconds(simulation.value) - expected) <= kTolerance * expected);
  CHECK(Evaluator(problem)(placement).value == simulation.value);
  // A split that breaks the limit still has its value, and the broken rule is told.
  CHECK(simulation.broken.has_value() == breaks_memory(row));
  CHECK(Evaluator(problem)(placement).feasible() == !breaks_memory(row));
  if (simulation.broken) CHECK(simulation.broken->find("bytes") != std::string::npos);
}

}  // namespace

TEST_CASE("the experts' splits have their reference values, by load and by latency") {
  std::filesystem::path root;
  const std::vector<Row> rows = reference_rows(root, [](const Row& row) {
    return row.at("method").find("human expert") != std::string::npos;
  });
  for (const Row& row : rows) {
    CAPTURE(row.at("input"));
    CAPTURE(row.at("objective"));
    const std::filesystem::path split = expert_split(root, row);
    const Problem problem = read_input_for(split, root, row);
    check_split(problem, read_placement(split, problem), row);
  }
}

TEST_CASE("everything on one accelerator has its reference value") {
  std::filesystem::path root;
  const std::vector<Row> rows =
      reference_rows(root, [](const Row& row) { return row.at("mode") == "single"; });
  for (const Row& row : rows) {
    CAPTURE(row.at("input"));
    const Problem problem = read_input(root, row);
    for (const DeviceId device : problem.devices()) {
      if (problem.cluster().device(device).is_host()) continue;
      check_split(problem, on_one_device(problem, device), row);
      break;
    }
  }
}

TEST_CASE("greedy reaches its reference values, as a feasible placement") {
  std::filesystem::path root;
  const std::vector<Row> rows = reference_rows(root, [](const Row& row) {
    return row.at("method") == "greedy" && row.at("objective") == "latency";
  });
  for (const Row& row : rows) {
    CAPTURE(row.at("input"));
    const Problem problem = read_input(root, row);
    const Result result = run_placer("greedy", problem);
    REQUIRE(result.placement);
    check_split(problem, *result.placement, row);
  }
}

TEST_CASE("no method is better than what the file proves optimal") {
  // Non-contiguous and one-piece optima bound every placement; here those of the quick methods.
  std::filesystem::path root;
  const std::vector<Row> rows = reference_rows(root, [](const Row& row) {
    return row.at("proven_optimal") == "yes" &&
           (row.at("mode") == "noncontiguous" || row.at("mode") == "q1");
  });
  for (const Row& row : rows) {
    CAPTURE(row.at("input"));
    const Problem problem = read_input(root, row);
    const double optimum = std::stod(row.at("value"));
    for (const char* spec : {"greedy", "heft", "random(samples=50)", "single-device"}) {
      CAPTURE(std::string(spec));
      const Result result = run_placer(spec, problem);
      if (!result.placement) continue;
      CHECK(in_milliseconds(result.simulation->value) >= optimum * (1 - kTolerance));
      if (result.lower_bound)
        CHECK(in_milliseconds(*result.lower_bound) <= optimum * (1 + kTolerance));
    }
  }
}
