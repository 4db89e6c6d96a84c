#include "berth/runtime/openvino/compile_cache.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/core_groups.h"
#include "berth/runtime/openvino/device_setup.h"
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

// Calls work(0), ..., work(count - 1) on as many threads as there are cores; the first exception
// comes out.
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(count);
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t threads = std::min(count, usable_cores().size());
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(take_turns);
  take_turns();
  helpers.clear();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
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
  in_parallel(missing.size(), [&](std::size_t i) {
    answers[missing[i]].piece = compile_one(model, requests[missing[i]]);
  });
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
  auto piece = std::make_shared<CompiledPiece>();
  piece->nodes = request.nodes;
  piece->sub = cut_out(model, request.nodes);
  try {
    piece->compiled =
        core_.compile_model(piece->sub.model, device.name, compile_properties(device));
    piece->executed_on = executed_on(piece->compiled);
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("{}: device {} refuses the piece of {} nodes that begins with '{}': {}",
                            model.name(), device.name, request.nodes.size(),
                            model.graph().node(request.nodes.front()).name,
                            openvino_error_text(error.what())));
  }
  if (piece->executed_on != device.name)
    throw Error(fmt::format(
        "{}: the piece that begins with '{}' was meant for {}, but OpenVINO would run it on {}",
        model.name(), model.graph().node(request.nodes.front()).name, device.name,
        piece->executed_on));
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
  std::sort(unused.begin(), unused.end(),
            [](auto a, auto b) { return a->second.last_use < b->second.last_use; });
  for (const auto entry : unused) {
    if (held <= kBudget) return;
    held -= entry->second.weights;
    entries_.erase(entry);
  }
}

}  // namespace berth
