// Runs the pieces of a placement at the same time, each on its device.
//
// One worker thread per device, pinned to the device's cores, takes ready pieces: those whose
// inputs are all there, counted down as their producers finish. Of several it takes the one of the
// oldest request, then the earliest in the placement's order; where it has none, as execution in
// pieces ranks them (sim/piece_execution.h), with times guessed from operations and bytes. A
// consumer's input tensor is its producer's output tensor: nothing is copied on our side.
//
// For throughput several requests are in flight. Each has a slot: an inference request per piece,
// with tensors of its own, so memory grows with the number in flight. A piece that several devices
// share is compiled for each, and slots use its copies in turn; a slot takes the next sample when
// it is done with one, so that a faster device takes more of them. An idle worker watches for some
// milliseconds while a run is on before it sleeps, because waking a thread takes as long as many a
// piece.
//
// A request costs one lock per piece; compilation and wiring happen before.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <openvino/runtime/infer_request.hpp>

#include "berth/runtime/openvino/compile_cache.h"
#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/submodels.h"
#include "berth/runtime/runtime.h"

namespace berth {

// A piece as one device has it.
struct PieceCopy {
  std::shared_ptr<CompiledPiece> compiled;
  std::size_t device = 0;  // index into the devices
  bool from_cache = false;
};

struct PreparedPiece {
  std::vector<PieceCopy> copies;  // one, or one per device that shares it
  double priority = 0;            // among ready pieces of one request, the largest goes first
};

class PieceExecutor final : public Executor {
 public:
  PieceExecutor(const OpenvinoModel& model, std::vector<RealDevice> devices,
                std::vector<PreparedPiece> pieces);
  ~PieceExecutor() override;

  const std::vector<RunningPiece>& pieces() const override { return running_; }
  Duration run_once() override { return run_many(1, 1); }
  Duration run_many(int samples, int in_flight) override { return run(0, samples, in_flight); }
  Duration run_steady(int samples, int in_flight) override {
    return run(in_flight, samples, in_flight);
  }
  std::vector<Array> outputs() const override { return outputs_of(slots_[last_slot_]); }
  std::vector<std::vector<Array>> outputs_by_slot() const override;
  std::vector<PieceSpan> piece_spans() const override { return last_spans_; }

 private:
  using Clock = std::chrono::steady_clock;
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

  // The time of `samples` requests after the end of `before` others.
  Duration run(int before, int samples, int in_flight);
  void add_slot();
  const PieceCopy& copy(const Slot& slot, std::size_t piece) const {
    return prepared_[piece].copies[slot.copy[piece]];
  }
  std::vector<Array> outputs_of(const Slot& slot) const;
  void start_sample(std::size_t slot);  // all below: with mutex_ held
  void make_ready(std::size_t slot, std::size_t piece);
  void finish(const Work& work, PieceSpan span);
  bool run_is_over() const;
  void work(std::size_t device);  // a worker's life
  void infer(const Work& work);

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

}  // namespace berth
