#include "berth/runtime/openvino/piece_executor.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "berth/runtime/machine.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

// How long an idle worker watches for work before it sleeps. A thread that must be woken on a busy
// machine is late by more than most pieces take.
constexpr std::chrono::milliseconds kSpin{20};

// A loop that only looks takes the core from the thread that shares it, unless it says so.
void rest_a_little() {
#if defined(__x86_64__)
  for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
#endif
}

class PieceExecutor final : public Executor {
 public:
  PieceExecutor(const OpenvinoModel& model, std::vector<RealDevice> devices,
                std::vector<PreparedPiece> pieces)
      : model_name_(model.name()),
        output_names_(output_names(*model.ov_model())),
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
    for (std::size_t d = 0; d < devices_.size(); ++d)
      workers_.push_back(std::make_unique<Worker>());
    for (std::size_t d = 0; d < devices_.size(); ++d)
      workers_[d]->thread = std::thread([this, d] { work(d); });
  }

  ~PieceExecutor() override {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    for (const auto& worker : workers_) worker->wake.notify_one();
    for (const auto& worker : workers_) worker->thread.join();
  }

  const std::vector<RunningPiece>& pieces() const override { return running_; }
  Duration run_once() override { return run_many(1, 1, 0); }

  Duration run_many(int samples, int in_flight, int before) override {
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

  std::vector<Array> outputs() const override { return outputs_of(slots_[last_slot_]); }
  std::vector<std::vector<Array>> outputs_by_slot() const override {
    std::vector<std::vector<Array>> all;
    for (const Slot& slot : slots_)
      if (slot.has_run) all.push_back(outputs_of(slot));
    return all;
  }
  std::vector<PieceSpan> piece_spans() const override { return last_spans_; }

 private:
  struct Slot {
    std::vector<ov::InferRequest> requests;  // by piece
    std::vector<std::size_t> copy;           // of each piece
    std::vector<std::uint32_t> missing;      // producers that have not finished, by piece
    std::size_t unfinished = 0;              // pieces
    std::uint64_t sample = 0;
    bool has_run = false;
    Clock::time_point start;
    std::vector<PieceSpan> spans;
  };
  struct Work {
    std::uint64_t sample = 0;
    double priority = 0;
    std::size_t slot = 0, piece = 0;
    bool operator<(const Work& other) const {  // the largest is taken first
      return sample != other.sample ? sample > other.sample : priority < other.priority;
    }
  };
  struct Worker {
    std::vector<Work> ready;  // a heap
    std::atomic<bool> has_work{false};
    std::condition_variable wake;
    std::thread thread;
  };

  const PieceCopy& copy(const Slot& slot, std::size_t piece) const {
    return prepared_[piece].copies[slot.copy[piece]];
  }

  void add_slot() {
    Slot slot;
    slot.spans.resize(running_.size());
    slot.missing.resize(prepared_.size());
    explain_refusal(model_name_ + ": OpenVINO cannot connect the pieces", [&] {
      for (std::size_t p = 0; p < prepared_.size(); ++p) {
        slot.copy.push_back(slots_.size() % prepared_[p].copies.size());
        slot.requests.push_back(copy(slot, p).compiled->compiled.create_infer_request());
        set_inputs(slot, p, true);  // others are known only when the producer has run
      }
    });
    slots_.push_back(std::move(slot));
  }

  void set_inputs(Slot& slot, std::size_t piece, bool with_static_shapes) {
    const SubModel& sub = copy(slot, piece).compiled->sub;
    for (std::size_t i = 0; i < sub.inputs.size(); ++i)
      if (sub.inputs[i].get_partial_shape().is_static() == with_static_shapes)
        slot.requests[piece].set_input_tensor(i, tensor(slot, wiring_.inputs[piece][i]));
  }

  ov::Tensor tensor(const Slot& slot, const TensorSource& source) const {
    if (source.kind == TensorSource::Kind::kConstant) return source.constant;
    if (source.kind == TensorSource::Kind::kModelInput) return inputs_[source.port];
    ov::InferRequest producer = slot.requests[source.piece];  // a handle
    return producer.get_output_tensor(source.port);
  }

  std::vector<Array> outputs_of(const Slot& slot) const {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < wiring_.outputs.size(); ++i)
      arrays.push_back(to_array(output_names_[i], tensor(slot, wiring_.outputs[i])));
    return arrays;
  }

  // With mutex_ held, like the next three.
  bool run_is_over() const { return busy_ == 0 && (failure_ != nullptr || finished_ == samples_); }

  void start_sample(std::size_t slot) {
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

  void make_ready(std::size_t slot, std::size_t piece) {
    Worker& worker = *workers_[copy(slots_[slot], piece).device];
    worker.ready.push_back({slots_[slot].sample, prepared_[piece].priority, slot, piece});
    std::push_heap(worker.ready.begin(), worker.ready.end());
    worker.has_work = true;
    worker.wake.notify_one();
  }

  void finish(const Work& work, PieceSpan span) {
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

  // A worker's life.
  void work(std::size_t device) {
    pin_this_thread(devices_[device].cores);
    const std::string context =
        fmt::format("{}: device {} failed while running", model_name_, devices_[device].name);
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
        explain_refusal(context, [&] {
          set_inputs(slots_[next.slot], next.piece, false);
          slots_[next.slot].requests[next.piece].infer();
        });
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

  std::string model_name_;
  std::vector<std::string> output_names_;
  std::vector<RealDevice> devices_;
  std::vector<PreparedPiece> prepared_;
  std::vector<RunningPiece> running_;    // all copies, a piece's side by side
  std::vector<std::size_t> first_copy_;  // of a piece, in running_
  Wiring wiring_;
  std::vector<std::vector<std::size_t>> successors_;  // distinct consuming pieces
  std::vector<std::uint32_t> producer_count_;         // distinct producing pieces
  std::vector<ov::Tensor> inputs_;
  std::vector<Slot> slots_;

  std::mutex mutex_;
  std::condition_variable run_ended_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t samples_ = 0, started_ = 0, finished_ = 0, uncounted_ = 0;
  std::size_t busy_ = 0;
  std::atomic<bool> running_now_{false};
  bool stop_ = false;
  std::exception_ptr failure_;
  Clock::time_point begin_;  // of what counts
  Clock::time_point ended_;  // of the last sample that finished
  std::size_t last_slot_ = 0;
  std::vector<PieceSpan> last_spans_;
};

}  // namespace

std::unique_ptr<Executor> piece_executor(const OpenvinoModel& model,
                                         std::vector<RealDevice> devices,
                                         std::vector<PreparedPiece> pieces) {
  return std::make_unique<PieceExecutor>(model, std::move(devices), std::move(pieces));
}

}  // namespace berth
