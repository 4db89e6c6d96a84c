// Transfer times per sample in flat arrays, for inner loops: the same numbers as
// Problem::transfer, without the indirections.
//
// Unless they are given per pair of devices, they have the form
//   frequency(tensor) * startup(from,to) + amount(tensor) * per_amount(from,to)
// where the amount is bytes, or the time itself when times are given per tensor.
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
        amount_.push_back(frequency_[index(tensor)] *
                          static_cast<double>(graph.tensor(tensor).size.count));
      for (const DeviceId from : problem.devices())
        for (const DeviceId to : problem.devices()) {
          const Link& link = problem.cluster().link(from, to);
          startup_.push_back(from == to ? 0.0 : link.startup.count());
          per_amount_.push_back(from == to ? 0.0 : 1e6 / link.bytes_per_second);
        }
    } else if (source_ == TransferSource::kPerTensor) {
      for (const TensorId tensor : graph.tensors())
        amount_.push_back(frequency_[index(tensor)] * given[index(tensor)]);
      startup_.assign(devices_ * devices_, 0.0);
      per_amount_.assign(devices_ * devices_, 1.0);
    } else {
      amount_.assign(graph.tensor_count(), 0.0);
      startup_.assign(devices_ * devices_, 0.0);
      per_amount_ = startup_;
      given_ = given;
    }
  }

  bool depends_on_pair() const { return source_ == TransferSource::kPerTensorAndPair; }
  double frequency(TensorId tensor) const { return frequency_[index(tensor)]; }
  double amount(TensorId tensor) const { return amount_[index(tensor)]; }
  double startup(DeviceId from, DeviceId to) const {
    return startup_[index(from) * devices_ + index(to)];
  }
  double per_amount(DeviceId from, DeviceId to) const {
    return per_amount_[index(from) * devices_ + index(to)];
  }

  // Microseconds; `from` and `to` differ.
  double operator()(std::size_t tensor, std::size_t from, std::size_t to) const {
    const std::size_t pair = from * devices_ + to;
    if (depends_on_pair()) return frequency_[tensor] * given_[tensor * devices_ * devices_ + pair];
    return frequency_[tensor] * startup_[pair] + amount_[tensor] * per_amount_[pair];
  }

 private:
  TransferSource source_;
  std::size_t devices_;
  std::vector<double> frequency_, amount_;    // by tensor
  std::vector<double> startup_, per_amount_;  // by pair of devices
  std::span<const double> given_;             // lives in the Problem
};

}  // namespace berth
