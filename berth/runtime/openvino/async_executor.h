// Runs one compiled model as OpenVINO schedules it: a device with several streams, or HETERO.
//
// Requests are started asynchronously and start the next one as they end, so that `in_flight` of
// them are always under way. What happens inside a request is OpenVINO's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/infer_request.hpp>

#include "berth/runtime/openvino/model.h"
#include "berth/runtime/runtime.h"

namespace berth {

class AsyncExecutor final : public Executor {
 public:
  AsyncExecutor(const OpenvinoModel& model, ov::CompiledModel compiled,
                std::vector<RunningPiece> pieces);
  ~AsyncExecutor() override;

  const std::vector<RunningPiece>& pieces() const override { return pieces_; }
  Duration run_once() override;
  Duration run_many(int samples, int in_flight) override { return run(0, samples, in_flight); }
  Duration run_steady(int samples, int in_flight) override {
    return run(in_flight, samples, in_flight);
  }
  std::vector<Array> outputs() const override;
  std::vector<PieceSpan> piece_spans() const override { return {}; }

 private:
  // The time of `samples` requests after the end of `before` others.
  Duration run(int before, int samples, int in_flight);
  void add_request();
  void on_end(std::size_t request, std::exception_ptr failure);

  std::string model_name_;
  std::vector<std::string> output_names_;
  std::vector<ov::Tensor> inputs_;
  ov::CompiledModel compiled_;
  std::vector<RunningPiece> pieces_;
  std::vector<ov::InferRequest> requests_;

  std::mutex mutex_;
  std::condition_variable run_ended_;
  int samples_ = 0, started_ = 0, finished_ = 0, uncounted_ = 0;
  std::chrono::steady_clock::time_point begin_;  // of what counts
  std::exception_ptr failure_;
  std::size_t last_request_ = 0;
};

}  // namespace berth
