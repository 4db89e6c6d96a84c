// A machine for tests: one node, whose device number says how long a placement takes, with noise
// and drift that the test chooses.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/random.h"
#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

struct FakeMachine {
  std::vector<double> micros;  // by device number; 0: refuses
  double noise = 0;            // relative, uniform in +- noise
  double drift = 0;            // relative, per measurement
  std::uint64_t seed = 1;
  std::vector<std::size_t> calls{};  // by device number

  Meter meter() {
    calls.assign(micros.size(), 0);
    auto rng = std::make_shared<Rng>(seed);
    auto count = std::make_shared<int>(0);
    return [this, rng, count](const Placement& placement) {
      const std::size_t which = index(placement.device_of[NodeId{0}]);
      ++calls[which];
      if (micros[which] == 0) throw Error("refused");
      const double factor = 1 + noise * (2 * rng->uniform() - 1) + drift * (*count)++;
      return Duration{micros[which] * factor};
    };
  }
};

// The placement that takes micros[number].
inline Placement fake_placement(std::size_t number) {
  Placement placement;
  placement.device_of = IdVector<NodeId, DeviceId>(1, static_cast<DeviceId>(number));
  return placement;
}

}  // namespace berth
