// The placers that this build can run by their name alone.
#pragma once

#include <vector>

#include "berth/base/error.h"
#include "berth/modules/module.h"
#include "berth/place/registry.h"

namespace berth {

inline bool has_torch() {
  static const bool available = [] {
    try {
      load_module(ModuleKind::kTorch);
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return available;
}

inline std::vector<PlacerEntry> runnable_placers() {
  std::vector<PlacerEntry> runnable;
  for (const PlacerEntry& entry : placers())
    if (!entry.traits.needs_options && (entry.traits.needs != ModuleKind::kTorch || has_torch()))
      runnable.push_back(entry);
  return runnable;
}

}  // namespace berth
