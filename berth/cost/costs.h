// What work and traffic cost: time per (node, device) and per (tensor, from, to).
//
// Node times are measured, given by a file, or estimated (roofline.h); kForever means that the
// device cannot run the node. Transfer times come from the links (startup + bytes / bandwidth)
// or are given: one time per tensor, the same for any two devices (dnn-partitioning, Doppler), or
// one per tensor and ordered pair of devices (moirai). A file with a cost per edge gives each group
// of edges with its own cost a tensor of its own, so that "per tensor" loses nothing.
#pragma once

#include "berth/cost/devices.h"
#include "berth/graph/graph.h"

namespace berth {

// Times of one run of each node, node-major.
class NodeTimes {
 public:
  NodeTimes() = default;
  NodeTimes(std::size_t nodes, std::size_t devices, Duration value = Duration{0})
      : device_count_(devices), micros_(nodes * devices, value.count()) {}

  Duration operator()(NodeId node, DeviceId device) const {
    return Duration{micros_[index(node) * device_count_ + index(device)]};
  }
  void set(NodeId node, DeviceId device, Duration time) {
    micros_[index(node) * device_count_ + index(device)] = time.count();
  }
  std::size_t device_count() const { return device_count_; }
  std::size_t node_count() const { return device_count_ == 0 ? 0 : micros_.size() / device_count_; }
  std::span<const double> row(NodeId node) const {
    return {micros_.data() + index(node) * device_count_, device_count_};
  }

  friend bool operator==(const NodeTimes&, const NodeTimes&) = default;

 private:
  std::size_t device_count_ = 0;
  std::vector<double> micros_;
};

enum class TransferSource : std::uint8_t { kLinks, kPerTensor, kPerTensorAndPair };
template <>
struct OptionNames<TransferSource> {
  static constexpr std::array values{std::pair{"links", TransferSource::kLinks},
                                     std::pair{"per-tensor", TransferSource::kPerTensor},
                                     std::pair{"per-pair", TransferSource::kPerTensorAndPair}};
};

// Times of sending one tensor once; see TransferSource. Zero from a device to itself.
class TransferTimes {
 public:
  TransferTimes() = default;  // from the links
  static TransferTimes per_tensor(const IdVector<TensorId, Duration>& times) {
    TransferTimes result{TransferSource::kPerTensor, 0, {}};
    for (const Duration time : times) result.micros_.push_back(time.count());
    return result;
  }
  // times[(tensor * devices + from) * devices + to]
  static TransferTimes per_tensor_and_pair(std::size_t devices, std::vector<double> micros) {
    return {TransferSource::kPerTensorAndPair, devices, std::move(micros)};
  }

  TransferSource source() const { return source_; }
  // Only for the two given kinds.
  Duration given(TensorId tensor, DeviceId from, DeviceId to) const {
    if (from == to) return Duration{0};
    if (source_ == TransferSource::kPerTensor) return Duration{micros_[index(tensor)]};
    return Duration{
        micros_[(index(tensor) * device_count_ + index(from)) * device_count_ + index(to)]};
  }
  std::span<const double> micros() const { return micros_; }

  friend bool operator==(const TransferTimes&, const TransferTimes&) = default;

 private:
  TransferTimes(TransferSource source, std::size_t devices, std::vector<double> micros)
      : source_(source), device_count_(devices), micros_(std::move(micros)) {}

  TransferSource source_ = TransferSource::kLinks;
  std::size_t device_count_ = 0;
  std::vector<double> micros_;
};

struct Costs {
  NodeTimes times;
  TransferTimes transfers;

  friend bool operator==(const Costs&, const Costs&) = default;
};

}  // namespace berth
