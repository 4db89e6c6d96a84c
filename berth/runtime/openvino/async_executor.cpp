#include "berth/runtime/openvino/async_executor.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

Error run_error(const std::string& model, const char* what) {
  return Error(fmt::format("{}: failed while running: {}", model, openvino_error_text(what)));
}

}  // namespace

AsyncExecutor::AsyncExecutor(const OpenvinoModel& model, ov::CompiledModel compiled,
                             std::vector<RunningPiece> pieces)
    : model_name_(model.name()),
      inputs_(seeded_inputs(*model.ov_model())),
      compiled_(std::move(compiled)),
      pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < model.ov_model()->outputs().size(); ++i)
    output_names_.push_back(output_name(*model.ov_model(), i));
  add_request();
}

AsyncExecutor::~AsyncExecutor() {
  for (ov::InferRequest& request : requests_) request.wait();
}

void AsyncExecutor::add_request() {
  try {
    ov::InferRequest request = compiled_.create_infer_request();
    for (std::size_t i = 0; i < inputs_.size(); ++i) request.set_input_tensor(i, inputs_[i]);
    requests_.push_back(std::move(request));
  } catch (const ov::Exception& error) {
    throw run_error(model_name_, error.what());
  }
}

Duration AsyncExecutor::run_once() {
  requests_.front().set_callback([](std::exception_ptr) {});
  const Clock::time_point begin = Clock::now();
  try {
    requests_.front().infer();
  } catch (const ov::Exception& error) {
    throw run_error(model_name_, error.what());
  }
  last_request_ = 0;
  return Clock::now() - begin;
}

void AsyncExecutor::on_end(std::size_t request, std::exception_ptr failure) {
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

Duration AsyncExecutor::run(int before, int samples, int in_flight) {
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
  if (!failure_) return taken;
  try {
    std::rethrow_exception(failure_);
  } catch (const std::exception& error) {
    throw run_error(model_name_, error.what());
  }
}

std::vector<Array> AsyncExecutor::outputs() const {
  std::vector<Array> arrays;
  ov::InferRequest request = requests_[last_request_];
  for (std::size_t i = 0; i < output_names_.size(); ++i)
    arrays.push_back(to_array(output_names_[i], request.get_output_tensor(i)));
  return arrays;
}

}  // namespace berth
