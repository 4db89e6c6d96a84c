#include "berth/runtime/openvino/piece_executor.h"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/core_groups.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

// How long an idle worker watches for work before it sleeps. A thread that must be woken on a busy
// machine is late by more than most pieces take.
constexpr std::chrono::milliseconds kSpin{20};

// A loop that only looks takes the core from the thread that shares it, unless it says so.
void rest_a_little() {
#if defined(__x86_64__)
  for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
#endif
}

bool is_static(const ov::Output<ov::Node>& output) {
  return output.get_partial_shape().is_static();
}

}  // namespace

PieceExecutor::PieceExecutor(const OpenvinoModel& model, std::vector<RealDevice> devices,
                             std::vector<PreparedPiece> pieces)
    : model_name_(model.name()),
      devices_(std::move(devices)),
      prepared_(std::move(pieces)),
      inputs_(seeded_inputs(*model.ov_model())) {
  std::vector<const SubModel*> subs;
  for (const PreparedPiece& piece : prepared_) {
    subs.push_back(&piece.copies.front().compiled->sub);  // those of the others are the same
    first_copy_.push_back(running_.size());
    for (const PieceCopy& copy : piece.copies)
      running_.push_back({devices_[copy.device].name, copy.compiled->executed_on,
                          copy.compiled->nodes, copy.from_cache});
  }
  wiring_ = wire(model, subs);
  for (std::size_t i = 0; i < wiring_.outputs.size(); ++i)
    output_names_.push_back(output_name(*model.ov_model(), i));

  successors_.resize(prepared_.size());
  producer_count_.resize(prepared_.size());
  for (std::size_t p = 0; p < prepared_.size(); ++p) {
    std::set<std::size_t> producers;
    for (const TensorSource& source : wiring_.inputs[p])
      if (source.kind == TensorSource::Kind::kPiece) producers.insert(source.piece);
    producer_count_[p] = static_cast<std::uint32_t>(producers.size());
    for (const std::size_t producer : producers) {
      assert(producer < p && "pieces are numbered in a topological order");
      successors_[producer].push_back(p);
    }
  }
  add_slot();
  for (std::size_t d = 0; d < devices_.size(); ++d) workers_.push_back(std::make_unique<Worker>());
  for (std::size_t d = 0; d < devices_.size(); ++d)
    workers_[d]->thread = std::thread([this, d] { work(d); });
}

PieceExecutor::~PieceExecutor() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  for (const auto& worker : workers_) worker->wake.notify_one();
  for (const auto& worker : workers_) worker->thread.join();
}

void PieceExecutor::add_slot() {
  Slot slot;
  slot.spans.resize(running_.size());
  slot.missing.resize(prepared_.size());
  try {
    for (std::size_t p = 0; p < prepared_.size(); ++p) {
      slot.copy.push_back(slots_.size() % prepared_[p].copies.size());
      ov::InferRequest request = copy(slot, p).compiled->compiled.create_infer_request();
      const SubModel& sub = copy(slot, p).compiled->sub;
      for (std::size_t i = 0; i < wiring_.inputs[p].size(); ++i) {
        const TensorSource& source = wiring_.inputs[p][i];
        if (source.kind == TensorSource::Kind::kModelInput)
          request.set_input_tensor(i, inputs_[source.port]);
        else if (is_static(sub.inputs[i]))  // others are known only when the producer has run
          request.set_input_tensor(i, slot.requests[source.piece].get_output_tensor(source.port));
      }
      slot.requests.push_back(std::move(request));
    }
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("{}: OpenVINO cannot connect the pieces: {}", model_name_,
                            openvino_error_text(error.what())));
  }
  slots_.push_back(std::move(slot));
}

Duration PieceExecutor::run(int before, int samples, int in_flight) {
  assert(samples > 0 && in_flight > 0);
  const std::size_t wanted = static_cast<std::size_t>(std::min(before + samples, in_flight));
  while (slots_.size() < wanted) add_slot();

  std::unique_lock lock(mutex_);
  samples_ = static_cast<std::uint64_t>(before + samples);
  uncounted_ = static_cast<std::uint64_t>(before);
  started_ = finished_ = 0;
  failure_ = nullptr;
  for (const auto& worker : workers_) worker->ready.clear();  // what a failed run may have left
  running_now_ = true;
  begin_ = ended_ = Clock::now();
  for (std::size_t slot = 0; slot < wanted; ++slot) start_sample(slot);
  run_ended_.wait(lock, [&] { return run_is_over(); });
  running_now_ = false;
  if (failure_) std::rethrow_exception(failure_);
  last_spans_ = slots_[last_slot_].spans;
  return ended_ - begin_;
}

bool PieceExecutor::run_is_over() const {
  return busy_ == 0 && (failure_ != nullptr || finished_ == samples_);
}

void PieceExecutor::start_sample(std::size_t slot) {
  Slot& started = slots_[slot];
  started.sample = started_++;
  started.unfinished = prepared_.size();
  started.missing = producer_count_;
  started.start = Clock::now();
  for (std::size_t p = 0; p < prepared_.size(); ++p)
    if (producer_count_[p] == 0) make_ready(slot, p);
  if (prepared_.empty()) {  // a model whose outputs need no operator
    ++finished_;
    if (started_ < samples_) start_sample(slot);
  }
}

void PieceExecutor::make_ready(std::size_t slot, std::size_t piece) {
  Worker& worker = *workers_[copy(slots_[slot], piece).device];
  worker.ready.push_back({slots_[slot].sample, prepared_[piece].priority, slot, piece});
  std::push_heap(worker.ready.begin(), worker.ready.end());
  worker.has_work = true;
  worker.wake.notify_one();
}

void PieceExecutor::finish(const Work& work, PieceSpan span) {
  Slot& slot = slots_[work.slot];
  slot.spans[first_copy_[work.piece] + slot.copy[work.piece]] = span;
  for (const std::size_t next : successors_[work.piece])
    if (--slot.missing[next] == 0) make_ready(work.slot, next);
  if (--slot.unfinished > 0) return;
  slot.has_run = true;
  ++finished_;
  last_slot_ = work.slot;
  ended_ = Clock::now();
  if (finished_ == uncounted_) begin_ = ended_;
  if (started_ < samples_) start_sample(work.slot);
}

void PieceExecutor::infer(const Work& work) {
  Slot& slot = slots_[work.slot];
  const SubModel& sub = copy(slot, work.piece).compiled->sub;
  ov::InferRequest& request = slot.requests[work.piece];
  for (std::size_t i = 0; i < sub.inputs.size(); ++i) {
    const TensorSource& source = wiring_.inputs[work.piece][i];
    if (source.kind == TensorSource::Kind::kPiece && !is_static(sub.inputs[i]))
      request.set_input_tensor(i, slot.requests[source.piece].get_output_tensor(source.port));
  }
  request.infer();
}

void PieceExecutor::work(std::size_t device) {
  if (!devices_[device].cores.empty()) pin_this_thread(devices_[device].cores);
  Worker& self = *workers_[device];
  std::unique_lock lock(mutex_);
  while (true) {
    if (self.ready.empty() && running_now_) {  // spin with the lock open
      lock.unlock();
      const Clock::time_point limit = Clock::now() + kSpin;
      while (!self.has_work && running_now_ && Clock::now() < limit) rest_a_little();
      lock.lock();
    }
    self.wake.wait(lock, [&] { return stop_ || !self.ready.empty(); });
    if (stop_) return;
    std::pop_heap(self.ready.begin(), self.ready.end());
    const Work next = self.ready.back();
    self.ready.pop_back();
    self.has_work = !self.ready.empty();
    if (failure_) continue;  // what is left of a failed run is dropped
    ++busy_;
    lock.unlock();

    std::exception_ptr failure;
    const Clock::time_point start = Clock::now();
    try {
      infer(next);
    } catch (const ov::Exception& error) {
      failure = std::make_exception_ptr(
          Error(fmt::format("{}: device {} failed while running: {}", model_name_,
                            devices_[device].name, openvino_error_text(error.what()))));
    } catch (...) {
      failure = std::current_exception();
    }
    const Clock::time_point end = Clock::now();

    lock.lock();
    --busy_;
    if (failure) {
      if (!failure_) failure_ = failure;
    } else {
      const Clock::time_point origin = slots_[next.slot].start;
      finish(next, {start - origin, end - origin});
    }
    if (run_is_over()) run_ended_.notify_one();
  }
}

std::vector<std::vector<Array>> PieceExecutor::outputs_by_slot() const {
  std::vector<std::vector<Array>> all;
  for (const Slot& slot : slots_)
    if (slot.has_run) all.push_back(outputs_of(slot));
  return all;
}

std::vector<Array> PieceExecutor::outputs_of(const Slot& slot) const {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < wiring_.outputs.size(); ++i) {
    const TensorSource& source = wiring_.outputs[i];
    if (source.kind == TensorSource::Kind::kConstant)
      arrays.push_back(to_array(output_names_[i], source.constant));
    else if (source.kind == TensorSource::Kind::kModelInput)
      arrays.push_back(to_array(output_names_[i], inputs_[source.port]));
    else
      arrays.push_back(
          to_array(output_names_[i], const_cast<ov::InferRequest&>(slot.requests[source.piece])
                                         .get_output_tensor(source.port)));
  }
  return arrays;
}

}  // namespace berth
