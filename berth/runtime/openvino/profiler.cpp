// Times of operators, from profiled runs of the whole model.
//
// The model is compiled as it would run, so that fusion and layouts are the real ones, and runs
// again and again on every class of devices in turn. A kernel's samples come from all places where
// its signature occurs; it is finished when its 95 % interval is narrow, when it hardly matters, or
// when the rounds are over, and is written to the cache at that moment. A kernel's time goes to the
// heaviest of its operators: the others ride along, and are reported to stay with it. Of a device
// that cannot run all of the model, what it can run is measured by itself.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>
#include <openvino/runtime/infer_request.hpp>

#include "berth/base/error.h"
#include "berth/runtime/core_groups.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/device_setup.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/kernels.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/openvino/submodels.h"

namespace berth {
namespace {

constexpr int kWarmUpRounds = 2, kFewestRounds = 7, kMostRounds = 25;
constexpr double kNarrow = 0.03;        // half of the interval, as a share of the median
constexpr double kNegligible = 0.0005;  // share of the model's time below which any width will do
constexpr Seconds kLongEnough{6};       // per class of devices: then what is there must do

struct KernelTime {
  Duration median{0}, half_width{0};
};

std::string record_of(const KernelTime& time) {
  return fmt::format("{} {}", time.median.count(), time.half_width.count());
}

std::optional<KernelTime> parse_record(const std::string& text) {
  double median = 0, half = 0;
  const char* const end = text.data() + text.size();
  const auto [space, error] = std::from_chars(text.data(), end, median);
  if (error != std::errc() || space == end) return std::nullopt;
  if (std::from_chars(space + 1, end, half).ec != std::errc()) return std::nullopt;
  return KernelTime{Duration{median}, Duration{half}};
}

// One class of devices under measurement.
struct Subject {
  RealDevice device;
  std::string prefix;           // of its keys in the cache
  std::vector<bool> supported;  // by node
  ov::CompiledModel compiled;
  ov::InferRequest request;
  std::vector<Kernel> kernels;
  std::map<std::string, KernelTime> finished;            // by signature
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
  try {
    subject.compiled = core.compile_model(part, device.name, compile_properties(device, 1, true));
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("{}: device {} refuses the model: {}", model.name(), device.name,
                            openvino_error_text(error.what())));
  }
  subject.kernels = kernels_of(model, subject.compiled);
  for (const Kernel& kernel : subject.kernels) {
    if (subject.finished.contains(kernel.signature)) continue;
    const auto record = cache.find(subject.prefix + kernel.signature);
    if (const auto known = record ? parse_record(*record) : std::nullopt) {
      subject.finished[kernel.signature] = *known;
      ++subject.reused;
    } else {
      subject.samples[kernel.signature];
    }
  }
  if (subject.done()) return subject;
  subject.request = subject.compiled.create_infer_request();
  const std::vector<ov::Tensor> inputs = seeded_inputs(*part);
  for (std::size_t i = 0; i < inputs.size(); ++i) subject.request.set_input_tensor(i, inputs[i]);
  return subject;
}

// One run, in a thread that sits on the device's cores.
void run_round(Subject& subject) {
  const auto begin = std::chrono::steady_clock::now();
  std::exception_ptr failure;
  std::thread([&] {
    pin_this_thread(subject.device.cores);
    try {
      subject.request.infer();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
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
  for (const auto& [signature, time] : subject.finished) total += time.median;
  for (const auto& [signature, samples] : subject.samples) total += estimate(samples).median;
  const bool last = rounds >= kMostRounds || subject.spent > kLongEnough;
  for (auto open = subject.samples.begin(); open != subject.samples.end();) {
    const Estimate now = estimate(open->second);
    const bool narrow = now.half_width() <= kNarrow * now.median;
    const bool negligible = now.high <= kNegligible * total;
    if (!narrow && !negligible && !last) {
      ++open;
      continue;
    }
    const KernelTime time{now.median, now.half_width()};
    cache.add(subject.prefix + open->first, record_of(time));
    subject.finished[open->first] = time;
    ++subject.measured;
    open = subject.samples.erase(open);
  }
}

// The operator that does most of a kernel's work.
NodeId heaviest(const Graph& graph, const std::vector<NodeId>& nodes) {
  const auto weight = [&](NodeId node) {
    Bytes moved = graph.node(node).weights;
    for (const TensorId tensor : graph.outputs(node)) moved += graph.tensor(tensor).size;
    return std::pair(graph.node(node).flops, moved);
  };
  return *std::max_element(nodes.begin(), nodes.end(),
                           [&](NodeId a, NodeId b) { return weight(a) < weight(b); });
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
    const auto known = std::find_if(subjects.begin(), subjects.end(),
                                    [&](const Subject& s) { return s.prefix == prefix; });
    subject_of.push_back(static_cast<std::size_t>(known - subjects.begin()));
    if (known == subjects.end())
      subjects.push_back(
          make_subject(core_, ours, device, prefix, supported(model, device), cache));
  }
  try {
    while (std::any_of(subjects.begin(), subjects.end(), [](const auto& s) { return !s.done(); }))
      for (Subject& subject : subjects) {
        if (subject.done()) continue;
        run_round(subject);
        settle(subject, cache);
      }
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("{}: failed while it was measured: {}", model.name(),
                            openvino_error_text(error.what())));
  }

  OpTimes times;
  times.micros.assign(graph.node_count() * devices.size(), 0);
  times.half_width.assign(graph.node_count() * devices.size(), 0);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (const NodeId node : graph.nodes())
      if (!subjects[subject_of[d]].supported[index(node)])
        times.micros[index(node) * devices.size() + d] = kForever.count();
    const std::vector<Kernel>& kernels = subjects[subject_of[d]].kernels;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::optional<std::size_t> owner =
          kernels[k].nodes.empty() ? kernels[k].charged_to : std::optional(k);
      if (!owner) continue;  // a model of which nothing runs
      const KernelTime& time = subjects[subject_of[d]].finished.at(kernels[k].signature);
      const std::size_t at = index(heaviest(graph, kernels[*owner].nodes)) * devices.size() + d;
      times.micros[at] += time.median.count();
      times.half_width[at] += time.half_width.count();
    }
  }
  for (const Subject& subject : subjects) {
    times.measured += subject.measured;
    times.reused += subject.reused;
    for (const Kernel& kernel : subject.kernels)
      if (kernel.nodes.size() > 1 &&
          std::find(times.fused.begin(), times.fused.end(), kernel.nodes) == times.fused.end())
        times.fused.push_back(kernel.nodes);
  }
  return times;
}

}  // namespace berth
