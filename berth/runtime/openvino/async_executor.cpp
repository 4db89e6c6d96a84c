#include "berth/runtime/openvino/async_executor.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

class AsyncExecutor final : public Executor {
 public:
  AsyncExecutor(const OpenvinoModel& model, ov::CompiledModel compiled,
                std::vector<RunningPiece> pieces)
      : while_running_(model.name() + ": failed while running"),
        output_names_(output_names(*model.ov_model())),
        inputs_(seeded_inputs(*model.ov_model())),
        compiled_(std::move(compiled)),
        pieces_(std::move(pieces)) {
    add_request();
  }

  ~AsyncExecutor() override {
    for (ov::InferRequest& request : requests_) request.wait();
  }

  const std::vector<RunningPiece>& pieces() const override { return pieces_; }

  Duration run_once() override {
    requests_.front().set_callback([](std::exception_ptr) {});
    const Clock::time_point begin = Clock::now();
    explain_refusal(while_running_, [&] { requests_.front().infer(); });
    last_request_ = 0;
    return Clock::now() - begin;
  }

  Duration run_many(int samples, int in_flight, int before) override {
    assert(samples > 0 && in_flight > 0);
    const std::size_t wanted = static_cast<std::size_t>(std::min(before + samples, in_flight));
    while (requests_.size() < wanted) add_request();
    for (std::size_t i = 0; i < wanted; ++i)
      requests_[i].set_callback([this, i](std::exception_ptr failure) { on_end(i, failure); });
    {
      std::unique_lock lock(mutex_);
      begin_ = Clock::now();
      samples_ = before + samples;
      uncounted_ = before;
      started_ = static_cast<int>(wanted);
      finished_ = 0;
      failure_ = nullptr;
      for (std::size_t i = 0; i < wanted; ++i) requests_[i].start_async();
      run_ended_.wait(lock, [&] { return finished_ == started_; });
    }
    const Duration taken = Clock::now() - begin_;
    // A callback still holds its request for a moment after it has told us.
    for (std::size_t i = 0; i < wanted && !failure_; ++i) requests_[i].wait();
    if (failure_)
      explain_refusal<std::exception>(while_running_, [&] { std::rethrow_exception(failure_); });
    return taken;
  }

  std::vector<Array> outputs() const override {
    std::vector<Array> arrays;
    ov::InferRequest request = requests_[last_request_];
    for (std::size_t i = 0; i < output_names_.size(); ++i)
      arrays.push_back(to_array(output_names_[i], request.get_output_tensor(i)));
    return arrays;
  }

  std::vector<PieceSpan> piece_spans() const override { return {}; }

 private:
  void add_request() {
    explain_refusal(while_running_, [&] {
      ov::InferRequest request = compiled_.create_infer_request();
      for (std::size_t i = 0; i < inputs_.size(); ++i) request.set_input_tensor(i, inputs_[i]);
      requests_.push_back(std::move(request));
    });
  }

  void on_end(std::size_t request, std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    if (++finished_ == uncounted_) begin_ = Clock::now();
    last_request_ = request;
    if (!failure_ && started_ < samples_) {
      ++started_;
      requests_[request].start_async();
    }
    if (finished_ == started_) run_ended_.notify_one();
  }

  std::string while_running_;  // how messages begin
  std::vector<std::string> output_names_;
  std::vector<ov::Tensor> inputs_;
  ov::CompiledModel compiled_;
  std::vector<RunningPiece> pieces_;
  std::vector<ov::InferRequest> requests_;

  std::mutex mutex_;
  std::condition_variable run_ended_;
  int samples_ = 0, started_ = 0, finished_ = 0, uncounted_ = 0;
  Clock::time_point begin_;  // of what counts
  std::exception_ptr failure_;
  std::size_t last_request_ = 0;
};

}  // namespace

std::unique_ptr<Executor> async_executor(const OpenvinoModel& model, ov::CompiledModel compiled,
                                         std::vector<RunningPiece> pieces) {
  return std::make_unique<AsyncExecutor>(model, std::move(compiled), std::move(pieces));
}

}  // namespace berth
