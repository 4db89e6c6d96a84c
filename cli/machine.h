// This machine, as far as berth cares: processor, cores, memory, and whether bf16 is safe.
//
// Some virtual machines advertise AMX in CPUID leaf 7 but hide leaf 0x1D, which describes the
// tiles. Kernels that believe leaf 7 then die with SIGILL in bf16 matrix products. That is told
// apart here from machines without AMX and from those where it works.
#pragma once

#include <string>

#include "berth/base/units.h"

namespace berth {

enum class AmxState { kAbsent, kUsable, kTrap };

struct Machine {
  std::string system;     // "Linux 6.1 x86_64"
  std::string processor;  // "Intel(R) Xeon(R) ..."
  unsigned cores = 0;     // that this process may use
  Bytes memory{}, free_memory{};
  std::string vector_units;  // "AVX2, AVX-512"
  AmxState amx = AmxState::kAbsent;
};

Machine this_machine();

}  // namespace berth
