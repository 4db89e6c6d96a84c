#include "berth/runtime/openvino/compile_cache.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/base/parallel.h"
#include "berth/runtime/machine.h"
#include "berth/runtime/openvino/devices.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

std::string device_key(const RealDevice& device) {
  return fmt::format("{}|{}|{}", device.name, device.cores.size(),
                     device.precisions.empty() ? "f32" : device.precisions.front());
}

Bytes weights_of(const OpenvinoModel& model, std::span<const NodeId> nodes) {
  Bytes sum{};
  for (const NodeId node : nodes) sum += model.graph().node(node).weights;
  return sum;
}

}  // namespace

std::vector<CompileCache::Answer> CompileCache::compile(const OpenvinoModel& model,
                                                        std::span<const Request> requests) {
  std::vector<Answer> answers(requests.size());
  std::vector<std::size_t> missing;
  const auto key_of = [&](const Request& request) {
    return Key{model.ov_model().get(), device_key(*request.device), request.nodes};
  };
  for (std::size_t i = 0; i < requests.size(); ++i) {
    register_device(core_, *requests[i].device);
    const auto known = entries_.find(key_of(requests[i]));
    if (known == entries_.end()) {
      missing.push_back(i);
      continue;
    }
    known->second.last_use = ++clock_;
    answers[i] = {known->second.piece, true};
  }
  const auto compile_missing = [&](std::size_t i) {
    answers[missing[i]].piece = compile_one(model, requests[missing[i]]);
  };
  for_each_item(missing.size(), usable_cores().size(), [&] { return compile_missing; });
  for (const std::size_t i : missing)
    entries_[key_of(requests[i])] = {model.ov_model(), answers[i].piece,
                                     weights_of(model, requests[i].nodes), ++clock_};
  compiled_count_ += missing.size();
  drop_oldest();
  return answers;
}

std::shared_ptr<CompiledPiece> CompileCache::compile_one(const OpenvinoModel& model,
                                                         const Request& request) {
  const RealDevice& device = *request.device;
  const std::string& first = model.graph().node(request.nodes.front()).name;
  auto piece = std::make_shared<CompiledPiece>();
  piece->nodes = request.nodes;
  piece->sub = cut_out(model, request.nodes);
  explain_refusal(fmt::format("{}: device {} refuses the piece of {} nodes that begins with '{}'",
                              model.name(), device.name, request.nodes.size(), first),
                  [&] {
                    piece->compiled = core_.compile_model(piece->sub.model, device.name,
                                                          compile_properties(device));
                    piece->executed_on = executed_on(piece->compiled);
                  });
  if (piece->executed_on != device.name)
    fail("{}: the piece that begins with '{}' was meant for {}, but OpenVINO would run it on {}",
         model.name(), first, device.name, piece->executed_on);
  return piece;
}

void CompileCache::drop_oldest() {
  std::vector<std::map<Key, Entry>::iterator> unused;
  Bytes held{};
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->second.piece.use_count() > 1) continue;
    unused.push_back(entry);
    held += entry->second.weights;
  }
  std::ranges::sort(unused, {}, [](auto entry) { return entry->second.last_use; });
  for (const auto entry : unused) {
    if (held <= kBudget) return;
    held -= entry->second.weights;
    entries_.erase(entry);
  }
}

}  // namespace berth
