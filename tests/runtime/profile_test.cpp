#include "berth/runtime/profile.h"

#include <memory>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/runtime/piece_problem.h"
#include "berth/sim/evaluate.h"
#include "berth/sim/pieces.h"

using namespace berth;

namespace {

constexpr int kNodes = 6;
constexpr double kMicros = 1000;  // of a node on a quiet machine
constexpr double kOverhead = 50;  // of a piece

// A chain of operators that all take the same.
class FakeModel final : public Model {
 public:
  FakeModel() {
    GraphBuilder builder;
    for (int i = 0; i < kNodes; ++i) {
      const NodeId node = builder.add_node({.name = fmt::format("op{}", i), .op_type = "MatMul"});
      if (i > 0) builder.add_use(static_cast<TensorId>(i - 1), node);
      builder.add_tensor(node, {.size = Bytes{100}});
    }
    graph_ = std::move(builder).build();
  }
  const std::string& name() const override { return name_; }
  const Graph& graph() const override { return graph_; }
  Graph raw_graph() const override { return graph_; }

 private:
  std::string name_ = "chain";
  Graph graph_;
};

// Pieces of a chain run one after another; `slowness` is the machine's.
class FakeExecutor final : public Executor {
 public:
  FakeExecutor(const Graph& graph, std::vector<DeviceId> device_of, const double& slowness)
      : slowness_(slowness) {
    const Pieces pieces = eager_pieces(graph, device_of);
    sizes_.assign(pieces.count(), 0);
    for (const NodeId node : graph.nodes()) ++sizes_[pieces.piece_of[node]];
    running_.resize(pieces.count());
  }
  const std::vector<RunningPiece>& pieces() const override { return running_; }
  Duration run_once() override { return piece_spans().back().end; }
  Duration run_many(int samples, int) override { return samples * run_once(); }
  std::vector<Array> outputs() const override { return {}; }
  std::vector<PieceSpan> piece_spans() const override {
    std::vector<PieceSpan> spans;
    Duration now{0};
    for (const int size : sizes_) {
      const Duration start = now;
      now += Duration{slowness_ * (size * kMicros + kOverhead)};
      spans.push_back({start, now});
    }
    return spans;
  }

 private:
  const double& slowness_;
  std::vector<int> sizes_;
  std::vector<RunningPiece> running_;
};

class FakeRuntime final : public Runtime {
 public:
  double slowness = 1;
  int measurements = 0;  // of operators

  std::unique_ptr<Model> open(const ModelSource&) override { return std::make_unique<FakeModel>(); }
  std::vector<ZooNetwork> zoo() const override { return {}; }
  std::vector<RealDevice> devices(std::optional<int>) override {
    return {{.name = "CPU0", .description = "", .memory = {}, .cores = {0}, .precisions = {"f32"}},
            {.name = "CPU1", .description = "", .memory = {}, .cores = {1}, .precisions = {"f32"}}};
  }
  std::string version() const override { return "fake 1"; }
  std::string device_class(const RealDevice&) const override { return "core"; }
  DeviceSpeed measure_device(const RealDevice&) override { return {1e9, 1e9, Duration{1}}; }
  LinkSpeed measure_link(const RealDevice&, const RealDevice&) override {
    return {Duration{1}, 1e9};
  }
  std::vector<bool> supported(const Model&, const RealDevice&) override {
    return std::vector<bool>(kNodes, true);
  }
  OpTimes measure_ops(const Model&, std::span<const RealDevice> devices,
                      RecordFile& cache) override {
    OpTimes times;
    if (!cache.find("op")) {
      cache.add("op", fmt::format("{}", slowness * kMicros));
      ++measurements;
      times.measured = 1;
    }
    times.micros.assign(kNodes * devices.size(), std::stod(*cache.find("op")));
    times.half_width.assign(kNodes * devices.size(), 0);
    return times;
  }
  std::unique_ptr<Executor> prepare(const Model& model, std::span<const RealDevice>,
                                    const Placement& placement, ExecutorKind) override {
    return std::make_unique<FakeExecutor>(model.graph(), placement.device_of.items(), slowness);
  }
  ExportedFiles export_pieces(const Model&, std::span<const std::string>, const Placement&,
                              ExecutorKind, const std::filesystem::path&) override {
    return {};
  }
  std::unique_ptr<Executor> prepare_single(const Model& model, const RealDevice&, int) override {
    return std::make_unique<FakeExecutor>(model.graph(), std::vector(kNodes, DeviceId{0}),
                                          slowness);
  }
};

struct Machine {
  FakeRuntime runtime;
  FakeModel model;
  std::vector<RealDevice> devices = runtime.devices({});
  Cluster cluster{
      {{.name = "CPU0", .kind = DeviceKind::kCpu}, {.name = "CPU1", .kind = DeviceKind::kCpu}}};

  ModelProfile profile(RecordFile& cache) {
    return profile_model(runtime, model, devices, cluster, cache, {});
  }
};

double whole_model(const ModelProfile& profile) {
  Evaluator evaluator(piece_problem(profile.profiled, profile.calibration));
  return evaluator(std::vector(kNodes, DeviceId{0})).value.count();
}

}  // namespace

TEST_CASE("a profile explains what it measured, and the next one remembers it") {
  Machine machine;
  RecordFile cache({});
  const ModelProfile first = machine.profile(cache);
  REQUIRE(first.run);
  CHECK(median_error(first.run->held_out) < 0.02);
  CHECK(whole_model(first) == doctest::Approx(kNodes * kMicros + kOverhead).epsilon(0.02));
  CHECK(first.calibration.contention == doctest::Approx(0));
  const ModelProfile second = machine.profile(cache);
  CHECK_FALSE(second.run);
  CHECK_FALSE(second.was_too_slow);
  CHECK(second.calibration == first.calibration);
  CHECK(machine.runtime.measurements == 1);
}

TEST_CASE("what was measured on a busy machine is measured again on a quiet one") {
  Machine machine;
  RecordFile cache({});
  machine.runtime.slowness = 1.6;
  CHECK(whole_model(machine.profile(cache)) ==
        doctest::Approx(1.6 * (kNodes * kMicros + kOverhead)).epsilon(0.02));
  machine.runtime.slowness = 1;
  const ModelProfile again = machine.profile(cache);
  CHECK(again.was_too_slow);
  CHECK(machine.runtime.measurements == 2);
  CHECK(whole_model(again) == doctest::Approx(kNodes * kMicros + kOverhead).epsilon(0.02));
  // And then remembered; a machine that is busy now changes nothing.
  machine.runtime.slowness = 1.6;
  const ModelProfile busy_now = machine.profile(cache);
  CHECK_FALSE(busy_now.was_too_slow);
  CHECK(busy_now.calibration == again.calibration);
  CHECK(machine.runtime.measurements == 2);
}

TEST_CASE("a machine that becomes slower while it is measured does not make pieces dear") {
  Machine machine;
  RecordFile cache({});
  const OpTimes times = machine.runtime.measure_ops(machine.model, machine.devices, cache);
  const Problem profiled = profiled_problem(machine.model, machine.cluster, times);
  const CalibrationRun run = calibrate_on(
      machine.runtime, machine.model, machine.devices, profiled,
      {.fit = 20, .check = 10, .progress = [&](std::size_t done, std::size_t) {
         machine.runtime.slowness = 1 + 0.05 * static_cast<double>(done);  // 2.5 at the end
       }});
  for (const Measured& each : run.held_out) {
    CHECK(each.drift > 1.1);  // the last third: slower than usual
    CHECK(each.error_without_drift() < 0.05);
    CHECK(each.error() > 0.1);
  }
}
