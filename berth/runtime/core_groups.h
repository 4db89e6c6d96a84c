// The processor cores of this machine, divided into groups that can each act as a device.
//
// Cores that share their last cache form the machine's own groups. A machine with one such group
// and at least two cores is divided in two, because one device leaves nothing to place. Asked for a
// number of groups, the cores are dealt out in the order of caches and physical cores, so that
// hardware threads of one core, and cores of one cache, stay together where the numbers allow it;
// sizes differ by at most one core.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace berth {

struct Core {
  int number = 0;       // as the system counts
  int cache_group = 0;  // cores with the same last cache have the same number
  int physical = 0;     // hardware threads of one core have the same number

  friend bool operator==(const Core&, const Core&) = default;
};

// The cores that this process may use.
std::vector<Core> usable_cores();

// Throws Error when there are more groups than physical cores, or fewer than one.
std::vector<std::vector<int>> core_groups(std::vector<Core> cores, std::optional<int> groups);

// Keeps the calling thread on these cores. Best effort: a system that refuses leaves it free.
void pin_this_thread(std::span<const int> cores);

}  // namespace berth
