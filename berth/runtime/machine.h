// This machine, as far as berth cares: processor, cores, memory, and whether bf16 is safe.
#pragma once

#include <optional>
#include <string>

#include "berth/base/units.h"
#include "berth/runtime/amx.h"

namespace berth {

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

}  // namespace berth
