// This machine, as far as berth cares: processor, cores, memory, and whether bf16 is safe.
//
// Some virtual machines advertise AMX in CPUID leaf 7 but hide leaf 0x1D, which describes the
// tiles. Kernels that believe leaf 7 then die with SIGILL in bf16 matrix products. That trap is
// told apart here from machines without AMX and from those where it works.
//
// The cores are divided into groups that can each act as a device. Those that share their last cache
// form the machine's own groups. A machine with one such group and at least two cores is divided in
// two, because one device leaves nothing to place. Asked for a number of groups, the cores are dealt
// out in the order of caches and physical cores, so that hardware threads of one core, and cores of
// one cache, stay together where the numbers allow it; sizes differ by at most one core.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/units.h"

namespace berth {

enum class AmxState : std::uint8_t { kAbsent, kUsable, kTrap };

AmxState amx_state();

struct Machine {
  std::string system;     // "Linux 6.1 x86_64"
  std::string processor;  // "Intel(R) Xeon(R) ..."
  unsigned cores = 0;     // that this process may use
  Bytes memory{}, free_memory{};
  std::string vector_units;  // "AVX2, AVX-512"
  AmxState amx = AmxState::kAbsent;
};

Machine this_machine();

// All of it, in use or not; empty where the system does not say.
std::optional<Bytes> machine_memory();

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
