// What is left to do against what the devices left can do: which partial splits are worth keeping.
//
// A split with every load below T that has covered the ideal I and left some devices must do the
// rest with those. What is left is work, and one payment for each net of the frontier
// (piece_load.h):
//   sum of p(V \ I)                    <=  T * (devices left, each at its best speed ratio to class
//   0) sum of p(V \ I) + frontier nets    <=  the same, those that pay nothing counted by the most
//   they
//                                          can take over of both
// and bytes against memories. O(1) per question.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "berth/place/exact/load_model.h"
#include "berth/place/exact/piece_chain.h"

namespace berth {

// What is not covered yet.
struct Rest {
  double work[2] = {0, 0}, frontier[2] = {0, 0};
  std::int64_t bytes = 0;
};

// The model in the terms of that comparison.
class Workload {
 public:
  explicit Workload(const LoadModel& model);

  std::size_t halves() const { return halves_; }
  double work(std::uint32_t unit, std::size_t half) const { return work_[half][unit]; }
  std::span<const double> net_price() const { return net_price_; }
  const Rest& all() const { return all_; }
  double all_nets(std::size_t half) const { return all_nets_[half]; }
  // More than any sum of loads comes to, about.
  double everything() const { return all_.work[0] + all_.work[1] + all_nets_[0] + all_nets_[1]; }
  // How much of work, and of work and nets, a device of the class does in the time of a class-0
  // one.
  double speed(std::size_t half, std::size_t c) const { return speed_[half][c]; }
  double relief(std::size_t half, std::size_t c) const { return relief_[half][c]; }

 private:
  void prepare_half(const LoadModel& model, std::size_t h);

  std::size_t halves_;
  std::vector<double> work_[2], speed_[2], relief_[2], net_price_;
  double all_nets_[2] = {0, 0};
  Rest all_;
};

// What the devices left in a state can take within the limit.
class Rooms {
 public:
  using DevicesLeft = std::vector<std::size_t>;  // by class

  Rooms(const LoadModel& model, const Workload& workload, const LoadModel::Halves& limit)
      : model_(&model), workload_(&workload), limit_(limit), halves_(workload.halves()) {}

  // One room for each state, in their order. A state without devices of any class has room for
  // nothing.
  void assign(std::span<const DevicesLeft> left);

  bool enough(std::size_t state, const Rest& rest) const {
    const Room& room = rooms_[state];
    if (static_cast<double>(rest.bytes) > room.bytes) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (rest.work[h] > room.work[h] || rest.work[h] + rest.frontier[h] > room.frontier[h])
        return false;
    return true;
  }
  // Of half 0, that may be left in the state.
  double most_work(std::size_t state) const { return rooms_[state].work[0]; }

 private:
  struct Room {
    double work[2] = {0, 0}, frontier[2] = {0, 0}, bytes = 0;
  };

  const LoadModel* model_;
  const Workload* workload_;
  LoadModel::Halves limit_;
  std::size_t halves_;
  std::vector<Room> rooms_;
};

}  // namespace berth
