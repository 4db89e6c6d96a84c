// A problem, a placement and its simulation in a few lines for people.
#pragma once

#include "berth/place/run_placer.h"
#include "berth/placement.h"
#include "berth/sim/evaluate.h"

namespace berth {

// "491 nodes, 545 edges, 4 devices; latency, concurrent execution"
std::string problem_text(const Problem& problem);

IdVector<DeviceId, std::size_t> nodes_per_device(const Problem& problem,
                                                 const Placement& placement);
// One row per device, in the order of the devices file: nodes, load, share of the value, memory.
std::string devices_text(const Problem& problem, const Placement& placement,
                         const Simulation& simulation);

// The resource that is busy longest: in throughput it sets the value, in latency it is where a
// faster device would help first.
struct Bottleneck {
  const char* kind = "device";  // or channel, or server (its wire to the network)
  std::string name;
  Duration load{0};
};
Bottleneck bottleneck(const Problem& problem, const Simulation& simulation);
std::string bottleneck_text(const Problem& problem, const Simulation& simulation);

// Subgraphs, crossings and bytes, then the longest crossings, at most `worst` of them.
inline constexpr std::size_t kWorstCrossings = 10;  // that reports on one placement list
std::string crossings_text(const Problem& problem, const Placement& placement,
                           const Simulation& simulation, std::size_t worst);

// What fills each device at its peak, and when that is.
std::string memory_text(const Problem& problem, const Simulation& simulation);

// "39%", "optimal", "-"; against a bound of contiguous splits "contiguous optimum", "3% of
// contiguous".
std::string gap_text(const Result& result);

// What a user should know of any placement: devices that run nothing.
std::vector<std::string> placement_warnings(const Problem& problem, const Placement& placement);

}  // namespace berth
