// A placement to start a search from: made by another method and repaired.
#pragma once

#include <optional>
#include <string>

#include "berth/placement.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Seed {
  std::string spec{};                                 // of the method
  std::optional<IdVector<UnitId, DeviceId>> units{};  // allowed and fitting, or empty
  Score score{};                                      // of these, or of the method's own order
  std::string reason{};                               // why `units` is empty
};

}  // namespace berth
