// Transfer times per sample in flat arrays, for inner loops: the same numbers as
// Problem::transfer, without the indirections.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/problem.h"

namespace berth {

class TransferTable {
 public:
  explicit TransferTable(const Problem& problem)
      : source_(problem.costs().transfers.source()), devices_(problem.device_count()) {
    const Graph& graph = problem.graph();
    const std::span<const double> given = problem.costs().transfers.micros();
    frequency_.reserve(graph.tensor_count());
    for (const TensorId tensor : graph.tensors())
      frequency_.push_back(graph.node(graph.producer(tensor)).frequency);
    if (source_ == TransferSource::kLinks) {
      for (const TensorId tensor : graph.tensors())
        per_tensor_.push_back(frequency_[index(tensor)] *
                              static_cast<double>(graph.tensor(tensor).size.count));
      for (const DeviceId from : problem.devices())
        for (const DeviceId to : problem.devices()) {
          const Link& link = problem.cluster().link(from, to);
          startup_.push_back(from == to ? 0.0 : link.startup.count());
          per_byte_.push_back(from == to ? 0.0 : 1e6 / link.bytes_per_second);
        }
    } else if (source_ == TransferSource::kPerTensor) {
      for (const TensorId tensor : graph.tensors())
        per_tensor_.push_back(frequency_[index(tensor)] * given[index(tensor)]);
    } else {
      given_ = given;
    }
  }

  // Microseconds; `from` and `to` differ.
  double operator()(std::uint32_t tensor, std::uint32_t from, std::uint32_t to) const {
    const std::size_t pair = from * devices_ + to;
    switch (source_) {
      case TransferSource::kLinks:
        return frequency_[tensor] * startup_[pair] + per_tensor_[tensor] * per_byte_[pair];
      case TransferSource::kPerTensor: return per_tensor_[tensor];
      case TransferSource::kPerTensorAndPair:
        return frequency_[tensor] * given_[tensor * devices_ * devices_ + pair];
    }
    return 0;
  }

 private:
  TransferSource source_;
  std::size_t devices_;
  std::vector<double> frequency_, per_tensor_, startup_, per_byte_;
  std::span<const double> given_;  // lives in the Problem
};

}  // namespace berth
