#include "cli/machine.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <fmt/format.h>

namespace berth {
namespace {

// The value of the first line "key : value" or "key: value" in a file of /proc.
std::string proc_value(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

Bytes memory_value(const std::string& key) {
  std::istringstream value(proc_value("/proc/meminfo", key));
  std::int64_t kibibytes = 0;
  value >> kibibytes;
  return Bytes{kibibytes * 1024};
}

unsigned usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

#if defined(__x86_64__)
std::string vector_units() {
  std::vector<std::string> units;
  if (__builtin_cpu_supports("avx2")) units.push_back("AVX2");
  if (__builtin_cpu_supports("avx512f")) units.push_back("AVX-512");
  return units.empty() ? "SSE2" : fmt::format("{}", fmt::join(units, ", "));
}

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
std::string vector_units() { return "not known on this architecture"; }
AmxState amx_state() { return AmxState::kAbsent; }
#endif

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname names = {};
  if (uname(&names) == 0)
    machine.system = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  machine.processor = proc_value("/proc/cpuinfo", "model name");
  if (machine.processor.empty()) machine.processor = "unknown";
  machine.cores = usable_cores();
  machine.memory = memory_value("MemTotal");
  machine.free_memory = memory_value("MemAvailable");
  machine.vector_units = vector_units();
  machine.amx = amx_state();
  return machine;
}

}  // namespace berth
