#include "berth/runtime/amx.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace berth {

#if defined(__x86_64__)
AmxState amx_state() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return AmxState::kAbsent;
  const bool advertised = (d & (1U << 22)) != 0 || (d & (1U << 24)) != 0;  // AMX-BF16, AMX-TILE
  if (!advertised) return AmxState::kAbsent;
  // Leaf 0x1D, subleaf 0: the highest palette of tiles; none means that the leaf is hidden.
  if (__get_cpuid_count(0x1D, 0, &a, &b, &c, &d) == 0 || a == 0) return AmxState::kTrap;
  return AmxState::kUsable;
}
#else
AmxState amx_state() { return AmxState::kAbsent; }
#endif

}  // namespace berth
