// The placers that this build can run by their name alone.
#pragma once

#include <vector>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "tests/support/sketch.h"

namespace berth {

// Whether what a learned method needs is there: it says so before it looks at the problem.
inline bool can_learn(const PlacerEntry& entry) {
  try {
    Sketch sketch("one", 1);
    sketch.node("a", {1});
    Budget budget({.seconds = {}, .evaluations = 1});
    Rng rng(1);
    entry.make(parse_spec(entry.name))->place(sketch.build(), budget, rng);
    return true;
  } catch (const Error&) {
    return false;
  }
}

inline std::vector<PlacerEntry> runnable_placers() {
  static const std::vector<PlacerEntry> runnable = [] {
    std::vector<PlacerEntry> found;
    for (const PlacerEntry& entry : placers())
      if (!entry.needs_options && (!entry.learned || can_learn(entry))) found.push_back(entry);
    return found;
  }();
  return runnable;
}

}  // namespace berth
