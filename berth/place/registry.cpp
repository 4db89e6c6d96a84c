#include "berth/place/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"
#include "berth/place/auto_place.h"
#include "berth/place/exact/ideal_dp.h"
#include "berth/place/exact/latency_dp.h"
#include "berth/place/exact/latency_ip.h"
#include "berth/place/exact/linear_dp.h"
#include "berth/place/exact/throughput_ip.h"
#include "berth/place/heuristic/anneal.h"
#include "berth/place/heuristic/device_map.h"
#include "berth/place/heuristic/etf.h"
#include "berth/place/heuristic/expert.h"
#include "berth/place/heuristic/greedy.h"
#include "berth/place/heuristic/heft.h"
#include "berth/place/heuristic/hetero_default.h"
#include "berth/place/heuristic/local_search.h"
#include "berth/place/heuristic/m_etf.h"
#include "berth/place/heuristic/m_sct.h"
#include "berth/place/heuristic/m_topo.h"
#include "berth/place/heuristic/min_cut.h"
#include "berth/place/heuristic/pipedream.h"
#include "berth/place/heuristic/random.h"
#include "berth/place/heuristic/replicate.h"
#include "berth/place/heuristic/scotch.h"
#include "berth/place/heuristic/sequential_cut.h"
#include "berth/place/heuristic/single_device.h"
#include "berth/place/learned/hsdag.h"
#include "berth/place/measured/measured.h"

namespace berth {
namespace {

// clang-format off
const std::array kPlacers{
    placer_entry<SingleDevice>("single-device", "everything on the device that is best alone"),
    placer_entry<RandomPlacer>("random", "the best of many random placements"),
    placer_entry<HeteroDefault>("hetero-default", "each node on the first listed device that supports it (OpenVINO HETERO)"),
    placer_entry<DeviceMap>("device-map", "devices filled with weights one after another (accelerate)"),
    placer_entry<Heft>("heft", "list scheduling by upward rank and earliest finish, with insertion"),
    placer_entry<Etf>("etf", "list scheduling by earliest start"),
    placer_entry<MTopo>("m-topo", "devices filled one after another in topological order (Baechi)"),
    placer_entry<MEtf>("m-etf", "list scheduling by earliest start, with memory and serial channels (Baechi)"),
    placer_entry<MSct>("m-sct", "list scheduling with favourite children from a linear program (Baechi)"),
    placer_entry<Greedy>("greedy", "list placement by earliest finish; call latency: fill one accelerator after another"),
    placer_entry<MinCut>("min-cut", "balanced partition by METIS; ignores the schedule"),
    placer_entry<ScotchPlacer>("scotch", "balanced partition by Scotch; ignores the schedule"),
    placer_entry<SequentialCut>("sequential-cut", "minimum cuts: exact for sequential execution on two devices"),
    placer_entry<IdealDp>("ideal-dp", "optimal contiguous throughput, by dynamic programming over ideals"),
    placer_entry<LinearDp>("linear-dp", "contiguous throughput along many linear orders"),
    placer_entry<LatencyDp>("latency-dp", "call latency: the best split if nothing overlapped, over ideals"),
    placer_entry<ThroughputIp>("throughput-ip", "largest load by integer programming, with a proof or a gap"),
    placer_entry<LatencyIp>("latency-ip", "call latency with its proof: flows against splits, then an integer program"),
    placer_entry<Replicate>("replicate", "devices that share the whole model, or stages of it, by dividing the samples"),
    placer_entry<Anneal>("anneal", "simulated annealing from the best heuristics"),
    placer_entry<PipeDream>("pipedream", "the graph made a path of components, then its best cuts (PipeDream)"),
    placer_entry<Expert>("expert", "a given split, as it is"),
    placer_entry<Auto>("auto", "all heuristics that fit the budget, then annealing"),
    placer_entry<MeasuredPlacer>("measured", "the best of several guesses, by real runs of a model on this machine"),
    placer_entry<Hsdag>("hsdag", "groups and devices by a graph network that learns from placements it tries"),
    placer_entry<LocalSearch>("local-search", "moves and swaps of single units to a local optimum"),
};
// clang-format on

}  // namespace

std::span<const PlacerEntry> placers() { return kPlacers; }

const PlacerEntry& find_placer(const std::string& name) {
  std::vector<std::string> names;
  for (const PlacerEntry& entry : placers()) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(fmt::format("there is no method '{}'; did you mean '{}'? (berth methods lists them)", name,
                          nearest_word(name, names)));
}

std::unique_ptr<Placer> make_placer(const std::string& text) {
  const Spec spec = parse_spec(text);
  return find_placer(spec.name).make(spec);
}

}  // namespace berth
