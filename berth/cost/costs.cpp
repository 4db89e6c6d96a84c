#include "berth/cost/costs.h"

namespace berth {

TransferTimes TransferTimes::per_tensor(IdVector<TensorId, Duration> times) {
  TransferTimes result;
  result.source_ = TransferSource::kPerTensor;
  result.micros_.reserve(times.size());
  for (const Duration time : times) result.micros_.push_back(time.count());
  return result;
}

TransferTimes TransferTimes::per_tensor_and_pair(std::size_t devices, std::vector<double> micros) {
  TransferTimes result;
  result.source_ = TransferSource::kPerTensorAndPair;
  result.device_count_ = devices;
  result.micros_ = std::move(micros);
  return result;
}

}  // namespace berth
