#include "berth/runtime/machine.h"

#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "berth/runtime/core_groups.h"

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

std::optional<Bytes> memory_value(const std::string& key) {
  std::istringstream value(proc_value("/proc/meminfo", key));
  std::int64_t kibibytes = 0;
  return value >> kibibytes ? std::optional(Bytes{kibibytes * 1024}) : std::nullopt;
}

#if defined(__x86_64__)
std::string vector_units() {
  std::vector<std::string> units;
  if (__builtin_cpu_supports("avx2")) units.push_back("AVX2");
  if (__builtin_cpu_supports("avx512f")) units.push_back("AVX-512");
  return units.empty() ? "SSE2" : fmt::format("{}", fmt::join(units, ", "));
}
#else
std::string vector_units() { return "not known on this architecture"; }
#endif

}  // namespace

std::optional<Bytes> machine_memory() { return memory_value("MemTotal"); }

Machine this_machine() {
  Machine machine;
  utsname names = {};
  if (uname(&names) == 0)
    machine.system = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  machine.processor = proc_value("/proc/cpuinfo", "model name");
  if (machine.processor.empty()) machine.processor = "unknown";
  machine.cores = static_cast<unsigned>(usable_cores().size());
  machine.memory = machine_memory().value_or(Bytes{});
  machine.free_memory = memory_value("MemAvailable").value_or(Bytes{});
  machine.vector_units = vector_units();
  machine.amx = amx_state();
  return machine;
}

}  // namespace berth
