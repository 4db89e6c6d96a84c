// Every method, one line each: the one file that knows them all.
#include <array>

#include "berth/learn/hsdag.h"
#include "berth/learn/post/post.h"
#include "berth/place/baseline/device_map.h"
#include "berth/place/baseline/expert.h"
#include "berth/place/baseline/hetero_default.h"
#include "berth/place/baseline/random.h"
#include "berth/place/baseline/single_device.h"
#include "berth/place/cut/min_cut.h"
#include "berth/place/cut/scotch.h"
#include "berth/place/cut/sequential_cut.h"
#include "berth/place/latency/latency_dp.h"
#include "berth/place/latency/latency_ip.h"
#include "berth/place/list/etf.h"
#include "berth/place/list/greedy.h"
#include "berth/place/list/heft.h"
#include "berth/place/list/m_etf.h"
#include "berth/place/list/m_sct.h"
#include "berth/place/list/m_topo.h"
#include "berth/place/load/ideal_dp.h"
#include "berth/place/load/linear_dp.h"
#include "berth/place/load/pipedream.h"
#include "berth/place/load/throughput_ip.h"
#include "berth/place/local/anneal.h"
#include "berth/place/local/local_search.h"
#include "berth/place/local/replicate.h"
#include "berth/place/measured/measured.h"
#include "berth/place/registry.h"
#include "berth/portfolio.h"

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
    placer_entry<Post>("post", "a table of probabilities, learned by cross-entropy and proximal steps from placements it tries"),
    placer_entry<LocalSearch>("local-search", "moves and swaps of single units to a local optimum"),
};
// clang-format on

}  // namespace

std::span<const PlacerEntry> placers() { return kPlacers; }

}  // namespace berth
