#include "berth/runtime/core_groups.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include <fmt/format.h>
#include <sched.h>

#include "berth/base/error.h"

namespace berth {
namespace {

// The first number in a file of /sys such as "4-7" or "0,64"; `otherwise` when there is none.
int first_number(const std::string& file, int otherwise) {
  std::ifstream stream(file);
  int number = otherwise;
  stream >> number;
  return stream ? number : otherwise;
}

// The lowest core that shares the last cache with this one.
int last_cache_of(int core) {
  for (const int level : {3, 2}) {
    const int first = first_number(
        fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/shared_cpu_list", core, level),
        -1);
    if (first >= 0) return first;
  }
  return 0;
}

int physical_core_of(int core) {
  return first_number(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", core), core);
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

}  // namespace

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
    throw Error(fmt::format("local:{}: expected 1 to {}, the number of cores of this machine",
                            *groups, most));
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
    return std::tuple(a.cache_group, a.physical, a.number) <
           std::tuple(b.cache_group, b.physical, b.number);
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
