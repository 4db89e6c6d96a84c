// Whether 16-bit matrix units of this processor can be trusted.
//
// Some virtual machines advertise AMX in CPUID leaf 7 but hide leaf 0x1D, which describes the
// tiles. Kernels that believe leaf 7 then die with SIGILL in bf16 matrix products. That is told
// apart here from machines without AMX and from those where it works.
#pragma once

#include <cstdint>

namespace berth {

enum class AmxState : std::uint8_t { kAbsent, kUsable, kTrap };

AmxState amx_state();

}  // namespace berth
