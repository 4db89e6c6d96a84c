// The cheapest chain of ideals in the call model: calls on accelerators, single units on CPUs.
//
// Every placement with one call per accelerator is a chain: its calls and CPU nodes in order of
// time, each on top of an ideal. For costs that add up along the chain,
//   f[0][0] = 0
//   f[I][s] = min( f[I - v][s] + cpu(v)                                        v last in I
//                  min over ideals J in I and classes c of
//                      f[J][s - e_c] + weight(I \ J) load_c(I \ J),  bytes(I \ J) <= M_c )
// with s the accelerators used per class. Without weights this is the time if nothing overlapped
// (latency_dp.h). With a flow of one unit from anywhere to anywhere, the weight of a call is the
// flow that enters it, and f bounds the latency from below (latency_bound.h).
//
// Push form. Ideals are processed by size; from J, units are added one by one, each superset once,
// until  f[J] + weight(S) (p_acc(S) + permanent cuts(S)) + sum of least(v) over the rest >= limit
// or the bytes do not fit; all these only grow with S. Time O(pairs within the limit * nets of a
// unit); memory O(reached ideals * states).
#pragma once

#include "berth/place/load/piece_chain.h"
#include "berth/search/budget.h"

namespace berth {

// The classes that make calls, and how many accelerators of each are used, as one number.
struct CallModel {
  CallModel(LoadModel model, std::size_t calls);

  LoadModel loads;
  std::size_t calls;                         // per accelerator
  std::vector<std::uint32_t> accelerators;   // classes that make calls
  DeviceStates in_use;                       // their calls
  std::size_t states;                        // how many of these there are
  std::vector<double> cpu_time, least_time;  // of each unit on its fastest CPU, fastest device
  std::vector<DeviceId> cpu_device;
};

// The same problem with the loads of its calls as its objective: compute and transfers in sequence.
Problem with_call_loads(const Problem& problem);

struct ChainCosts {
  std::vector<double> cpu;    // of each unit on its CPU; infinite where none may run it
  std::vector<double> least;  // what every chain pays for the unit
  // Flow: what enters each unit, and of that what comes from each of units[u].before. Empty: every
  // call weighs 1.
  std::vector<double> enter{};
  std::vector<std::vector<double>> from{};
};

inline constexpr std::uint8_t kOnCpu = 255;

struct CallChain {
  struct Step {
    std::vector<std::uint32_t> units;
    std::uint8_t accelerator = kOnCpu;  // index into CallModel::accelerators
  };
  double cost = 0;
  std::vector<Step> steps;  // last first
};

// Calls on the accelerators of their class in order of time, each on the first with room for it;
// CPU units on the CPU where they take least. With one call per accelerator there is always room.
Placement placement_of(const Problem& problem, const CallModel& model, const CallChain& chain);

struct ChainSearch {
  bool complete = false;            // false: memory or the budget ran out
  std::optional<CallChain> best{};  // below the limit; empty after a complete search: there is none
  std::size_t ideals = 0;
};

ChainSearch cheapest_chain(const CallModel& model, const ChainCosts& costs, double limit,
                           std::size_t most_bytes, const Budget& budget);

}  // namespace berth
