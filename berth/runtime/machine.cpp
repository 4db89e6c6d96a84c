#include "berth/runtime/machine.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include "berth/base/fail.h"

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

// The first number in what the system says of its cores, as "4-7" or "0,64"; `otherwise` when there
// is none.
int first_number(const std::string& file, int otherwise) {
  std::ifstream stream("/sys/devices/system/cpu/" + file);
  int number = otherwise;
  stream >> number;
  return stream ? number : otherwise;
}

// The lowest core that shares the last cache with this one.
int last_cache_of(int core) {
  for (const int level : {3, 2}) {
    const int first =
        first_number(fmt::format("cpu{}/cache/index{}/shared_cpu_list", core, level), -1);
    if (first >= 0) return first;
  }
  return 0;
}

int physical_core_of(int core) {
  return first_number(fmt::format("cpu{}/topology/thread_siblings_list", core), core);
}

std::size_t physical_cores(const std::vector<Core>& cores) {
  std::set<int> distinct;
  for (const Core& core : cores) distinct.insert(core.physical);
  return distinct.size();
}

// Equal shares of the physical cores, with all their hardware threads.
std::vector<std::vector<int>> dealt_out(const std::vector<Core>& cores, std::size_t groups) {
  std::vector<std::vector<int>> result(groups);
  const std::size_t total = physical_cores(cores);
  std::size_t seen = 0;  // physical cores before the present one
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i > 0 && cores[i].physical != cores[i - 1].physical) ++seen;
    result[seen * groups / total].push_back(cores[i].number);
  }
  return result;
}

#if defined(__x86_64__)

std::string vector_units() {
  std::vector<std::string> units;
  if (__builtin_cpu_supports("avx2")) units.push_back("AVX2");
  if (__builtin_cpu_supports("avx512f")) units.push_back("AVX-512");
  return units.empty() ? "SSE2" : fmt::format("{}", fmt::join(units, ", "));
}

}  // namespace

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

}  // namespace

AmxState amx_state() { return AmxState::kAbsent; }

#endif

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

std::vector<Core> usable_cores() {
  std::vector<Core> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back({core, last_cache_of(core), physical_core_of(core)});
  if (cores.empty())
    for (int core = 0; core < static_cast<int>(std::thread::hardware_concurrency()); ++core)
      cores.push_back({core, 0, core});
  return cores;
}

std::vector<std::vector<int>> core_groups(std::vector<Core> cores, std::optional<int> groups) {
  const std::size_t most = physical_cores(cores);
  if (groups && (*groups < 1 || static_cast<std::size_t>(*groups) > most))
    fail("local:{}: expected 1 to {}, the number of cores of this machine", *groups, most);
  std::ranges::sort(cores, {}, [](const Core& core) {
    return std::tuple(core.cache_group, core.physical, core.number);
  });
  if (groups) return dealt_out(cores, static_cast<std::size_t>(*groups));

  std::vector<std::vector<int>> own;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i == 0 || cores[i].cache_group != cores[i - 1].cache_group) own.emplace_back();
    own.back().push_back(cores[i].number);
  }
  return own.size() == 1 && most >= 2 ? dealt_out(cores, 2) : own;
}

void pin_this_thread(std::span<const int> cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace berth
