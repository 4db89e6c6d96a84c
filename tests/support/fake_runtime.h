// A machine for tests of the runtime: two cores that run a chain of operators, each of the same
// length, and say how long it took without taking any time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/runtime.h"
#include "berth/sim/pieces.h"

namespace berth {

inline constexpr int kNodes = 6;
inline constexpr double kMicros = 1000;  // of a node on a quiet machine
inline constexpr double kOverhead = 50;  // of a piece

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
  FakeExecutor(const Graph& graph, std::span<const RealDevice> devices,
               std::vector<DeviceId> device_of, const double& slowness, double output)
      : slowness_(slowness), output_(output) {
    const Pieces pieces = eager_pieces(graph, device_of);
    sizes_.assign(pieces.count(), 0);
    for (const NodeId node : graph.nodes()) ++sizes_[pieces.piece_of[node]];
    running_.resize(pieces.count());
    for (std::size_t p = 0; p < pieces.count(); ++p)
      running_[p].executed_on = devices[index(pieces.device[p])].name;
  }
  const std::vector<RunningPiece>& pieces() const override { return running_; }
  Duration run_once() override { return piece_spans().back().end; }
  Duration run_many(int samples, int, int) override { return samples * run_once(); }
  std::vector<Array> outputs() const override { return {{"sum", {1}, {output_}}}; }
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
  double output_;
  std::vector<int> sizes_;
  std::vector<RunningPiece> running_;
};

class FakeRuntime final : public Runtime {
 public:
  struct Prepared {
    ExecutorKind kind;
    Placement placement;
  };

  double slowness = 1;
  double output = 1;           // of placements; a device alone computes 1
  std::string hetero_refusal;  // empty: it runs
  int opened = 0;              // models
  int measurements = 0;        // of operators
  std::vector<Prepared> prepared{};
  std::vector<std::string> exported_for{};  // names of devices

  std::unique_ptr<Model> open(const ModelSource&) override {
    ++opened;
    return std::make_unique<FakeModel>();
  }
  std::vector<ZooNetwork> zoo() const override { return {}; }
  std::vector<RealDevice> devices(std::optional<int> groups = {}) override {
    const RealDevice core{
        .name = "CPU", .memory = Bytes{1 << 20}, .cores = {0}, .precisions = {"f32", "bf16"}};
    if (groups == 1) return {core};
    std::vector<RealDevice> both(2, core);
    both[0].name = "CPU0";
    both[1].name = "CPU1";
    return both;
  }
  std::string version() const override { return "fake 1"; }
  std::string device_class(const RealDevice&) const override { return "core"; }
  DeviceSpeed measure_device(const RealDevice&) override { return {1e9, 1e9, Duration{1}}; }
  LinkSpeed measure_link(const RealDevice&, const RealDevice&) override {
    return {Duration{1}, 1e9};
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
    return times;
  }
  std::unique_ptr<Executor> prepare(const Model& model, std::span<const RealDevice> devices,
                                    const Placement& placement, ExecutorKind kind) override {
    if (kind == ExecutorKind::kHetero && !hetero_refusal.empty()) throw Error(hetero_refusal);
    prepared.push_back({kind, placement});
    return std::make_unique<FakeExecutor>(model.graph(), devices, placement.device_of.items(),
                                          slowness, output);
  }
  ExportedFiles export_pieces(const Model&, std::span<const std::string> devices, const Placement&,
                              ExecutorKind, const std::filesystem::path&) override {
    exported_for.assign(devices.begin(), devices.end());
    return {.pieces = 1};
  }
  std::unique_ptr<Executor> prepare_single(const Model& model, const RealDevice& device,
                                           int) override {
    return std::make_unique<FakeExecutor>(model.graph(), std::span(&device, 1),
                                          std::vector(kNodes, DeviceId{0}), slowness, 1.0);
  }
};

}  // namespace berth
