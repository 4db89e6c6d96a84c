// Transfer times per sample in flat arrays, for inner loops: the same numbers as
// Problem::transfer, without the indirections.
//
// Unless they are given per pair of devices, they have the form
//   frequency(tensor) * startup(from,to) + amount(tensor) * per_amount(from,to)
// where the amount is bytes, or the time itself when times are given per tensor.
#pragma once

#include "berth/problem.h"

namespace berth {

class TransferTable {
 public:
  struct Flow {
    double frequency = 0, amount = 0;  // of a tensor, or of several together
    void add(const Flow& other, double share = 1) {
      frequency += share * other.frequency;
      amount += share * other.amount;
    }
  };

  explicit TransferTable(const Problem& problem)
      : source_(problem.costs().transfers.source()), devices_(problem.device_count()) {
    const Graph& graph = problem.graph();
    const std::span<const double> given = problem.costs().transfers.micros();
    const bool links = source_ == TransferSource::kLinks;
    if (depends_on_pair()) given_ = given;
    for (const TensorId tensor : graph.tensors()) {
      frequency_.push_back(graph.node(graph.producer(tensor)).frequency);
      const double one = links               ? static_cast<double>(graph.tensor(tensor).size.count)
                         : depends_on_pair() ? 0.0
                                             : given[index(tensor)];
      amount_.push_back(frequency_.back() * one);
    }
    startup_.assign(devices_ * devices_, 0.0);
    per_amount_.assign(devices_ * devices_, links || depends_on_pair() ? 0.0 : 1.0);
    for (const DeviceId from : problem.devices())
      for (const DeviceId to : problem.devices()) {
        if (!links || from == to) continue;
        const Link& link = problem.cluster().link(from, to);
        startup_[index(from) * devices_ + index(to)] = link.startup.count();
        per_amount_[index(from) * devices_ + index(to)] = 1e6 / link.bytes_per_second;
      }
  }

  bool depends_on_pair() const { return source_ == TransferSource::kPerTensorAndPair; }
  Flow flow(TensorId tensor) const { return {frequency_[index(tensor)], amount_[index(tensor)]}; }
  double startup(std::size_t from, std::size_t to) const { return startup_[from * devices_ + to]; }
  double per_amount(std::size_t from, std::size_t to) const {
    return per_amount_[from * devices_ + to];
  }

  // Microseconds; `from` and `to` differ.
  double operator()(std::size_t tensor, std::size_t from, std::size_t to) const {
    const std::size_t pair = from * devices_ + to;
    if (depends_on_pair()) return frequency_[tensor] * given_[tensor * devices_ * devices_ + pair];
    return frequency_[tensor] * startup_[pair] + amount_[tensor] * per_amount_[pair];
  }
  // The same for a flow, where times do not depend on the pair.
  double operator()(const Flow& flow, std::size_t from, std::size_t to) const {
    return flow.frequency * startup(from, to) + flow.amount * per_amount(from, to);
  }

 private:
  TransferSource source_;
  std::size_t devices_;
  std::vector<double> frequency_, amount_;    // by tensor
  std::vector<double> startup_, per_amount_;  // by pair of devices
  std::span<const double> given_;             // lives in the Problem
};

}  // namespace berth
