// A split of the units into pieces, each on a device class: what the exact throughput methods find.
#pragma once

#include <algorithm>

#include "berth/place/load/piece_load.h"

namespace berth {

struct PieceChain {
  struct Piece {
    std::vector<std::uint32_t> units;
    std::uint32_t device_class = 0;
    std::uint32_t replicas = 1;  // devices that take samples in turn
    std::uint32_t server = 0;    // of the model's, if it has any; pieces of one stand side by side
  };
  std::vector<Piece> pieces;
};

// How many devices of each class (or servers of each kind) are in use, as one number.
struct DeviceStates {
  explicit DeviceStates(const LoadModel& model);
  explicit DeviceStates(std::vector<std::size_t> sizes);
  std::size_t used(std::size_t state, std::size_t c) const {
    return state / stride[c] % (size[c] + 1);
  }
  std::size_t left(std::size_t state, std::size_t c) const { return size[c] - used(state, c); }

  static constexpr std::size_t kTooMany = std::size_t{1} << 20;  // to lay out a table
  static constexpr std::size_t kMost = std::size_t{1} << 40;     // the count stops here
  bool too_many() const { return count >= kTooMany; }
  std::size_t count = 1;
  std::vector<std::size_t> stride, size;  // by class
};

// Why a table of all states for every unit would be too large, in one sentence; empty when it is
// not.
std::optional<std::string> why_too_many_states(const LoadModel& model);

// The largest load of each half over the pieces, and what is minimised: their sum.
struct ChainValue {
  LoadModel::Halves largest{0, 0};
  double value() const { return largest[0] + largest[1]; }
};
ChainValue value_of(const LoadModel& model, const PieceChain& chain);

// The pieces on devices of their class (and server), in order, replicas included.
Placement placement_of(const Problem& problem, const LoadModel& model, const PieceChain& chain);

// Allows stages on up to so many devices. Only the call model knows replicas; others stay as they
// are.
LoadModel with_replicas(LoadModel model, const Problem& problem, int replicas);
// The most devices of the class that a stage may take.
inline std::size_t most_replicas(const LoadModel& model, std::size_t c) {
  return std::min(model.replicas, model.classes[c].count());
}

// What no split can beat: the work spread evenly over all devices, each class at the best ratio it
// has to the first; and the unit that takes longest where it is fastest.
double work_floor(const LoadModel& model, std::size_t half);

// For every class, the largest ratio of a unit's time on class 0 to its time there: a device of the
// class does at most so many times the work of a class-0 device.
std::vector<double> class_speeds(const LoadModel& model, std::size_t half);
// The work of each unit, measured in class-0 time (0 where class 0 cannot run it).
std::vector<double> unit_work(const LoadModel& model, std::size_t half);

}  // namespace berth
