// Times of operators, from profiled runs of the whole model.
//
// The model is compiled as it would run, so that fusion and layouts are the real ones, and runs
// again and again on every class of devices in turn. A kernel's samples come from all places where
// its signature occurs; it is finished when its 95 % interval is narrow, when it hardly matters, or
// when the rounds are over, and is written to the cache at that moment. A kernel's time goes to the
// heaviest of its operators: the others ride along, and are reported to stay with it. Of a device
// that cannot run all of the model, what it can run is measured by itself.

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/machine.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/devices.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/kernels.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {
namespace {

constexpr int kWarmUpRounds = 2, kFewestRounds = 7, kMostRounds = 25;
constexpr double kNarrow = 0.03;        // half of the interval, as a share of the median
constexpr double kNegligible = 0.0005;  // share of the model's time below which any width will do
constexpr Seconds kLongEnough{6};       // per class of devices: then what is there must do

// One class of devices under measurement.
struct Subject {
  RealDevice device;
  std::string prefix;           // of its keys in the cache
  std::vector<bool> supported;  // by node
  ov::InferRequest request;
  std::vector<Kernel> kernels;
  std::map<std::string, Duration> finished;              // medians by signature
  std::map<std::string, std::vector<Duration>> samples;  // of those that are not
  int measured = 0, reused = 0;
  int rounds = 0;
  Duration spent{0};

  bool done() const { return samples.empty(); }
};

// The model, or the part of it that the device can run.
std::shared_ptr<ov::Model> supported_part(const OpenvinoModel& model,
                                          const std::vector<bool>& supported) {
  std::vector<NodeId> nodes;
  for (const NodeId node : model.graph().nodes())
    if (supported[index(node)]) nodes.push_back(node);
  if (nodes.empty() || nodes.size() == supported.size()) return model.ov_model();
  return cut_out(model, nodes).model;
}

Subject make_subject(ov::Core& core, const OpenvinoModel& model, const RealDevice& device,
                     std::string prefix, std::vector<bool> supported, const RecordFile& cache) {
  register_device(core, device);
  Subject subject{.device = device, .prefix = std::move(prefix), .supported = std::move(supported)};
  const std::shared_ptr<ov::Model> part = supported_part(model, subject.supported);
  ov::CompiledModel compiled = explain_refusal(
      fmt::format("{}: device {} refuses the model", model.name(), device.name),
      [&] { return core.compile_model(part, device.name, compile_properties(device, 1, true)); });
  subject.kernels = kernels_of(model, compiled);
  for (const Kernel& kernel : subject.kernels) {
    if (subject.finished.contains(kernel.signature)) continue;
    const auto known = numbers_in(cache.find(subject.prefix + kernel.signature), 2);
    if (!known.empty()) {
      subject.finished[kernel.signature] = Duration{known[0]};
      ++subject.reused;
    } else {
      subject.samples[kernel.signature];
    }
  }
  if (subject.done()) return subject;
  subject.request = compiled.create_infer_request();
  const std::vector<ov::Tensor> inputs = seeded_inputs(*part);
  for (std::size_t i = 0; i < inputs.size(); ++i) subject.request.set_input_tensor(i, inputs[i]);
  return subject;
}

// One run, in a thread that sits on the device's cores.
void run_round(Subject& subject) {
  const auto begin = std::chrono::steady_clock::now();
  on_another_thread([&] {
    pin_this_thread(subject.device.cores);
    subject.request.infer();
  });
  subject.spent += std::chrono::steady_clock::now() - begin;
  if (++subject.rounds <= kWarmUpRounds) return;

  std::unordered_map<std::string, Duration> time_of;
  for (const ov::ProfilingInfo& info : subject.request.get_profiling_info())
    if (info.status == ov::ProfilingInfo::Status::EXECUTED)
      time_of[info.node_name] += Duration(info.real_time);
  for (const Kernel& kernel : subject.kernels)
    if (const auto open = subject.samples.find(kernel.signature); open != subject.samples.end())
      open->second.push_back(time_of[kernel.name]);
}

// Moves the kernels that are known well enough from `samples` to `finished`, and to the cache.
void settle(Subject& subject, RecordFile& cache) {
  const int rounds = subject.rounds - kWarmUpRounds;
  if (rounds < kFewestRounds) return;
  Duration total{0};
  for (const auto& [signature, median] : subject.finished) total += median;
  for (const auto& [signature, samples] : subject.samples) total += estimate(samples).median;
  const bool last = rounds >= kMostRounds || subject.spent > kLongEnough;
  std::erase_if(subject.samples, [&](const auto& open) {
    const auto& [signature, samples] = open;
    const Estimate now = estimate(samples);
    const bool narrow = now.half_width() <= kNarrow * now.median;
    const bool negligible = now.high <= kNegligible * total;
    if (!narrow && !negligible && !last) return false;
    cache.add(subject.prefix + signature,
              fmt::format("{} {}", now.median.count(), now.half_width().count()));
    subject.finished[signature] = now.median;
    ++subject.measured;
    return true;
  });
}

// The operator that does most of a kernel's work.
NodeId heaviest(const Graph& graph, const std::vector<NodeId>& nodes) {
  const auto weight = [&](NodeId node) {
    Bytes moved = graph.node(node).weights;
    for (const TensorId tensor : graph.outputs(node)) moved += graph.tensor(tensor).size;
    return std::pair(graph.node(node).flops, moved);
  };
  return *std::ranges::max_element(nodes, {}, weight);
}

}  // namespace

OpTimes OpenvinoRuntime::measure_ops(const Model& model, std::span<const RealDevice> devices,
                                     RecordFile& cache) {
  const OpenvinoModel& ours = openvino_model(model);
  const Graph& graph = model.graph();
  std::vector<Subject> subjects;
  std::vector<std::size_t> subject_of;  // by device
  for (const RealDevice& device : devices) {
    const std::string prefix = fmt::format("kernel|{}|{}|", version(), device_class(device));
    const auto known = std::ranges::find(subjects, prefix, &Subject::prefix);
    subject_of.push_back(static_cast<std::size_t>(known - subjects.begin()));
    if (known == subjects.end())
      subjects.push_back(
          make_subject(core_, ours, device, prefix, supported(model, device), cache));
  }
  explain_refusal(model.name() + ": failed while it was measured", [&] {
    while (!std::ranges::all_of(subjects, &Subject::done))
      for (Subject& subject : subjects) {
        if (subject.done()) continue;
        run_round(subject);
        settle(subject, cache);
      }
  });

  OpTimes times;
  times.micros.assign(graph.node_count() * devices.size(), 0);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const Subject& subject = subjects[subject_of[d]];
    const auto time_of = [&](NodeId node) -> double& {
      return times.micros[index(node) * devices.size() + d];
    };
    for (const NodeId node : graph.nodes())
      if (!subject.supported[index(node)]) time_of(node) = kForever.count();
    for (const Kernel& kernel : subject.kernels)
      if (kernel.charged_to)  // empty for a model of which nothing runs
        time_of(heaviest(graph, subject.kernels[*kernel.charged_to].nodes)) +=
            subject.finished.at(kernel.signature).count();
  }
  for (const Subject& subject : subjects) {
    times.measured += subject.measured;
    times.reused += subject.reused;
    for (const Kernel& kernel : subject.kernels)
      if (kernel.nodes.size() > 1 &&
          std::ranges::find(times.fused, kernel.nodes) == times.fused.end())
        times.fused.push_back(kernel.nodes);
  }
  return times;
}

}  // namespace berth
