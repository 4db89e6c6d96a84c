// Residual capacity: whether the devices left can still do the work left, for pruning partial
// splits.
//
// A split with every load below T that has covered the ideal I must do the rest with the devices
// that are left. The rest is work, and one payment for each net of the frontier (piece_load.h):
//   sum of p(V \ I)                  <=  T * (devices left, each by its best speed against class 0)
//   sum of p(V \ I) + frontier nets  <=  the same, each by the most that it can take over of both
// and bytes against memories. O(1) per question.
#pragma once

#include "berth/place/load/piece_chain.h"

namespace berth {

// What is not covered yet.
struct Rest {
  double work[2] = {0, 0}, frontier[2] = {0, 0};
  std::int64_t bytes = 0;
};

// The model in the terms of that comparison.
struct Workload {
  explicit Workload(const LoadModel& model);
  // More than any sum of loads comes to, about.
  double everything() const { return all.work[0] + all.work[1] + all_nets[0] + all_nets[1]; }

  std::size_t halves;
  std::vector<double> work[2];  // by unit
  // By class: how much of work, and of work and nets, a device does in the time of a class-0 one.
  std::vector<double> speed[2], relief[2];
  std::vector<double> net_price;
  double all_nets[2] = {0, 0};
  Rest all;

 private:
  void prepare_half(const LoadModel& model, std::size_t h);
};

// The residual capacity of every state: what its devices left can take within the limit.
class RemainingCapacity {
 public:
  using DevicesLeft = std::vector<std::size_t>;  // by class

  RemainingCapacity(const LoadModel& model, const Workload& workload,
                    const LoadModel::Halves& limit)
      : model_(&model), workload_(&workload), limit_(limit), halves_(workload.halves) {}

  // One for each state, in their order. A state without devices of any class has none.
  void assign(std::span<const DevicesLeft> left);

  bool enough(std::size_t state, const Rest& rest) const {
    const Capacity& capacity = capacity_[state];
    if (static_cast<double>(rest.bytes) > capacity.bytes) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (rest.work[h] > capacity.work[h] || rest.work[h] + rest.frontier[h] > capacity.frontier[h])
        return false;
    return true;
  }
  // Of half 0, that may be left in the state.
  double most_work(std::size_t state) const { return capacity_[state].work[0]; }

 private:
  struct Capacity {
    double work[2] = {0, 0}, frontier[2] = {0, 0}, bytes = 0;
  };

  const LoadModel* model_;
  const Workload* workload_;
  LoadModel::Halves limit_;
  std::size_t halves_;
  std::vector<Capacity> capacity_;
};

}  // namespace berth
