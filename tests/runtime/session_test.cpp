#include "berth/runtime/session.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "berth/base/error.h"
#include "berth/io/files.h"
#include "tests/support/fake_runtime.h"

using namespace berth;

namespace {

using Words = std::vector<std::string>;

const std::string kDiamond = "tests/cli/files/diamond.json";

// The first half of the chain on CPU0, the rest on CPU1.
Placement halves() {
  Placement placement;
  placement.device_of = IdVector<NodeId, DeviceId>(kNodes, DeviceId{0});
  for (int i = kNodes / 2; i < kNodes; ++i)
    placement.device_of[static_cast<NodeId>(i)] = DeviceId{1};
  return placement;
}

// A folder that is gone afterwards.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("berth_session_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

Words names(const std::vector<RunRow>& rows) {
  Words names;
  for (const RunRow& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

TEST_CASE("a problem file is read as it is, and what it has no use for is said") {
  Session plain(kDiamond);
  CHECK(plain.problem().problem.node_count() == 4);
  CHECK(plain.problem().warnings.empty());

  SessionOptions options{.devices = "v100x4", .batch = 2, .shapes = {"1,3"}, .training = true};
  CHECK(Session(kDiamond, options).problem().warnings ==
        Words{"--training is not used: " + kDiamond + " has fixed work",
              "--batch is not used: a problem file has its batch size in its times",
              "--shape is not used: a problem file has the shapes in its sizes"});
  CHECK_THROWS_WITH_AS(Session(kDiamond, {.devices = "nowhere"}).problem(),
                       "--devices nowhere: neither a file nor a built-in cluster (local, cpu+gpu, "
                       "k80x2, k80x4, k80x8, p100x2, p100x4, p100x8, k80x2-tf, k80x4-tf, "
                       "k80x8-tf, p100x2-tf, p100x4-tf, p100x8-tf, v100x4, i9+flex170)",
                       Error);
}

TEST_CASE("the text of a problem may come from the caller") {
  Session session("-", {.text = read_text_file(kDiamond)});
  CHECK(session.problem().problem.node_count() == 4);
  CHECK_THROWS_WITH_AS(Session("-", {.text = ""}).problem(),
                       "standard input: is empty, expected a problem", Error);
}

TEST_CASE(
    "a file of no known type says what berth reads, one that claims to be JSON what is wrong") {
  const Folder folder;
  const auto made = [&](const char* name) {
    std::ofstream(folder.path / name, std::ios::binary) << "GGUF" << std::string(20, '\0');
    return (folder.path / name).string();
  };
  CHECK_THROWS_WITH_AS(
      Session(made("model.gguf")).problem(),
      doctest::Contains("model.gguf: is of no type that berth reads, expected a problem, which is "
                        "text, or a model: .onnx, .xml, .pb, .pbtxt, .meta, .tflite, .pdmodel, or "
                        "a folder with saved_model.pb"),
      Error);
  CHECK_THROWS_WITH_AS(Session(made("model.json")).problem(),
                       doctest::Contains("model.json: line 1 is \"GGUF"), Error);
}

TEST_CASE("a model is estimated on devices that are not here, and nothing is measured") {
  FakeRuntime runtime;
  Session there("zoo:chain", {.devices = "v100x4"}, &runtime);
  CHECK(there.problem().problem.device_count() == 4);
  CHECK(there.problem().warnings.empty());
  Session anywhere("zoo:chain", {.ignore_memory = true}, &runtime);
  const LoadedProblem loaded = anywhere.problem();
  CHECK(loaded.warnings ==
        Words{"no --devices given: times are estimated for the built-in cluster cpu+gpu"});
  CHECK_FALSE(loaded.problem.cluster().device(DeviceId{0}).memory);
  Session here("zoo:chain", {.devices = "local", .estimate = true}, &runtime);
  CHECK(here.problem().problem.device_count() == 2);
  CHECK(runtime.measurements == 0);
  CHECK_FALSE(there.meter(loaded.problem));
  CHECK_FALSE(
      Session("zoo:chain", {.devices = "local", .training = true}, &runtime).meter(loaded.problem));
}

TEST_CASE("real runs tie the users of a weight: untied is for simulation elsewhere") {
  FakeRuntime runtime;
  const std::string reason =
      "--untied: on this machine the users of a weight share a device; expected --devices of "
      "another cluster, to simulate";
  for (const bool estimate : {false, true})
    CHECK_THROWS_WITH_AS(
        Session("zoo:chain", {.devices = "local", .untied = true, .estimate = estimate}, &runtime)
            .problem(),
        reason.c_str(), Error);
  CHECK_THROWS_WITH_AS(Session("zoo:chain", {.untied = true}, &runtime).measure(), reason.c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(Session("zoo:chain", {.untied = true}, &runtime).run({}), reason.c_str(),
                       Error);
  // Elsewhere it is heard, and says when there is nothing to untie.
  CHECK(Session("zoo:chain", {.devices = "v100x4", .untied = true}, &runtime).problem().warnings ==
        Words{"--untied changes nothing: no weight has users that could part"});
  CHECK(Session(kDiamond, {.untied = true}).problem().warnings ==
        Words{"--untied is not used: a problem file has its weights in its nodes"});
}

TEST_CASE("a model is opened and measured once, then placed, predicted, run and exported") {
  FakeRuntime runtime;
  Session session("zoo:chain", {.devices = "local"}, &runtime);
  const Problem problem = session.problem().problem;
  CHECK(runtime.measurements == 1);
  // Two pieces of three nodes, one after another.
  const double expected = 2 * (3 * kMicros + kOverhead);
  CHECK(session.meter(problem)(halves()).count() == doctest::Approx(expected));
  const auto predicted = session.predict(halves());
  REQUIRE(predicted);
  CHECK(predicted->latency.count() == doctest::Approx(expected).epsilon(0.05));
  CHECK(predicted->period.count() == doctest::Approx(expected / 2).epsilon(0.05));
  CHECK(session.run(halves(), {.rounds = 2}).rows.front().predicted);
  CHECK(session.export_pieces(problem, halves(), "nowhere").pieces == 1);
  CHECK(runtime.exported_for == Words{"CPU0", "CPU1"});
  CHECK(runtime.opened == 1);
  CHECK(runtime.measurements == 1);
}

TEST_CASE("a placement runs next to each device, all cores, streams and HETERO") {
  FakeRuntime runtime;
  Session session("zoo:chain", {}, &runtime);
  const RunComparison runs = session.run(halves(), {.rounds = 3, .check = true});
  CHECK(names(runs.rows) == Words{"placement", "CPU0", "CPU1", "CPU, all cores", "CPU, 2 streams",
                                  "HETERO, same placement"});
  CHECK(runs.pieces_on == std::vector<std::size_t>{1, 1});
  const RunRow& placed = runs.rows.front();
  CHECK(placed.times.latency.samples == 3 * 4);  // four single requests per round
  CHECK(placed.times.latency.median.count() == doctest::Approx(2 * (3 * kMicros + kOverhead)));
  CHECK(placed.pieces == 2);
  CHECK(runs.rows[1].times.latency.median.count() == doctest::Approx(6 * kMicros + kOverhead));
  CHECK(placed.output_error == 0);
  CHECK_FALSE(runs.rows[1].output_error);  // what the others are compared with
  CHECK(runs.passed());
  CHECK(runs.warnings.empty());
  CHECK_FALSE(placed.predicted);  // it was never profiled
  REQUIRE(runtime.prepared.size() == 3);
  CHECK(runtime.prepared[0].kind == ExecutorKind::kConcurrent);
  CHECK(runtime.prepared[0].placement.order.empty());
}

TEST_CASE("a placement of a profiled model runs in the order that is predicted") {
  FakeRuntime runtime;
  Session session("zoo:chain", {.devices = "local"}, &runtime);
  session.measure();
  runtime.prepared.clear();
  session.run(halves(), {.rounds = 1});
  REQUIRE(runtime.prepared.size() == 3);
  CHECK(runtime.prepared[0].placement.order.size() == kNodes);
  CHECK(runtime.prepared[1].kind == ExecutorKind::kPipeline);
  CHECK(runtime.prepared[1].placement.order.size() == kNodes);
  CHECK(runtime.prepared[2].kind == ExecutorKind::kHetero);
}

TEST_CASE("outputs that differ fail the check, by the precision that is computed in") {
  FakeRuntime runtime;
  runtime.output = 1.01;
  Session exact("zoo:chain", {}, &runtime);
  const RunComparison runs = exact.run(halves(), {.rounds = 1, .check = true});
  CHECK(runs.rows.front().output_error.value() == doctest::Approx(0.01));
  CHECK(runs.allowed_error == 1e-4);
  CHECK_FALSE(runs.passed());
  CHECK(exact.run(halves(), {.rounds = 1}).passed());  // nobody looked
  Session coarse("zoo:chain", {.precision = "bf16"}, &runtime);
  CHECK(coarse.run(halves(), {.rounds = 1, .check = true}).passed());
  CHECK_THROWS_WITH_AS(Session("zoo:chain", {.precision = "int3"}, &runtime).devices(),
                       "--precision int3: CPU0 computes in f32, bf16 only", Error);
}

TEST_CASE("a way that is refused keeps its row and is a warning") {
  FakeRuntime runtime;
  runtime.hetero_refusal = "chain: not like this";
  const RunComparison runs = Session("zoo:chain", {}, &runtime).run(halves(), {.rounds = 1});
  CHECK(runs.rows.back().refused == "chain: not like this");
  CHECK(runs.rows.back().times.latency.samples == 0);
  CHECK_FALSE(runs.rows.back().pieces);
  CHECK(runs.warnings == Words{"HETERO, same placement did not run: chain: not like this"});
}

TEST_CASE("measurements are kept where the caller says, and damage to them is told") {
  const Folder folder;
  FakeRuntime runtime;
  const SessionOptions options{.devices = "local", .measurements = folder.path / "measurements"};
  Session("zoo:chain", options, &runtime).measure();
  CHECK(Session("zoo:chain", options, &runtime).predict(halves()));
  CHECK(runtime.measurements == 1);
  std::ofstream(options.measurements, std::ios::app) << "damage";
  CHECK(Session("zoo:chain", options, &runtime).measure().warnings ==
        Words{options.measurements.string() + ": 1 damaged record dropped, to be measured again"});
}

TEST_CASE("a placement from a file is checked before it runs") {
  const Folder folder;
  FakeRuntime runtime;
  Session session("zoo:chain", {}, &runtime);
  const std::string file = (folder.path / "placement.json").string();
  std::string nodes;
  for (int i = 0; i < kNodes; ++i)
    nodes += fmt::format("{}\"op{}\": \"CPU0\"", i == 0 ? "" : ", ", i);
  write_file_atomically(file, "{" + nodes + "}");
  CHECK(session.read_placement(file).device_of[NodeId{0}] == DeviceId{0});
  write_file_atomically(file,
                        "{\"placement\": {" + nodes + "}, \"replicas\": {\"CPU0\": \"CPU1\"}}");
  CHECK_THROWS_WITH_AS(session.read_placement(file), doctest::Contains("placement.json: "), Error);
}

TEST_CASE("what needs a model says so of a problem file") {
  FakeRuntime runtime;
  Session session(kDiamond, {.devices = "local"}, &runtime);
  CHECK_THROWS_WITH_AS(session.measure(),
                       doctest::Contains("expected a model file or zoo:NAME; the times of a "
                                         "problem file are its own"),
                       Error);
  CHECK_THROWS_WITH_AS(session.run(halves()),
                       doctest::Contains("a problem file has nothing that runs"), Error);
  CHECK_THROWS_AS(session.predict(halves()), Error);
  CHECK_THROWS_AS(session.export_pieces(session.problem().problem, halves(), "x"), Error);
  CHECK_FALSE(session.meter(session.problem().problem));
}
