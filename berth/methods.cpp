// Every method, one line each: the one file that knows them all.
#include <array>

#include "berth/learn/coloc_rl.h"
#include "berth/learn/hdp.h"
#include "berth/learn/hsdag.h"
#include "berth/learn/placeto.h"
#include "berth/learn/post/post.h"
#include "berth/place/baseline/device_map.h"
#include "berth/place/baseline/expert.h"
#include "berth/place/baseline/hetero_default.h"
#include "berth/place/baseline/random.h"
#include "berth/place/baseline/single_device.h"
#include "berth/place/block/block_dp.h"
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
#include "berth/place/list/peft.h"
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

// In the order in which searches start from those that are seeds.
// clang-format off
constexpr std::array kPlacers{
    method<single_device>("single-device", "everything on the device that is best alone",
        {.seeds = kAnything}),
    method<greedy>("greedy", "list placement by earliest finish; call latency: fill one accelerator after another",
        {.seeds = kAnything}),
    method<ideal_dp>("ideal-dp", "optimal contiguous throughput, by dynamic programming over ideals",
        {.serves = kAnyMaxLoad, .small_seeds = kContiguousLoads, .proves = kContiguousLoads, .growth = Growth::kSteep}),
    method<linear_dp>("linear-dp", "contiguous throughput along many linear orders",
        {.serves = kAnyMaxLoad, .small_seeds = kFreeLoads, .growth = Growth::kSteep}),
    method<heft>("heft", "list scheduling by upward rank and earliest finish, with insertion",
        {.seeds = kAnything}),
    method<peft>("peft", "list scheduling by earliest finish and an optimistic cost table of the rest",
        {.seeds = kAnyLatency}),
    method<etf>("etf", "list scheduling by earliest start",
        {.seeds = kAnyLatency}),
    method<m_etf>("m-etf", "list scheduling by earliest start, with memory and serial channels (Baechi)",
        {.seeds = kAnyLatency}),
    method<m_topo>("m-topo", "devices filled one after another in topological order (Baechi)",
        {.seeds = kAnything}),
    method<device_map>("device-map", "devices filled with weights one after another (accelerate)",
        {.seeds = kAnything}),
    method<m_sct>("m-sct", "list scheduling with favourite children from a linear program (Baechi)",
        {.small_seeds = kAnyLatency, .growth = Growth::kSteep, .needs = ModuleKind::kHighs}),
    method<latency_dp>("latency-dp", "call latency: the best split if nothing overlapped, over ideals",
        {.serves = kCallRuns, .small_seeds = kCallRuns, .growth = Growth::kSteep}),
    method<min_cut>("min-cut", "balanced partition by METIS; ignores the schedule",
        {.seeds = kSequentialRuns + kAnyLoad, .needs = ModuleKind::kMetis}),
    method<scotch>("scotch", "balanced partition by Scotch; ignores the schedule",
        {.seeds = kSequentialRuns + kAnyLoad, .needs = ModuleKind::kScotch}),
    method<sequential_cut>("sequential-cut", "minimum cuts: exact for sequential execution on two devices",
        {.seeds = kSequentialRuns, .small_seeds = kAnyLatency + kAnyLoad, .proves = kSequentialRuns, .growth = Growth::kSteep}),
    method<random_placements>("random", "the best of many random placements",
        {.growth = Growth::kBudget}),
    method<hetero_default>("hetero-default", "each node on the first listed device that supports it (OpenVINO HETERO)"),
    method<pipedream>("pipedream", "the graph made a path of components, then its best cuts (PipeDream)",
        {.serves = kAnyMaxLoad + kCallRuns}),
    method<expert>("expert", "a given split, as it is",
        {.needs_options = true}),
    method<throughput_ip>("throughput-ip", "largest load by integer programming, with a proof or a gap",
        {.serves = kAnyMaxLoad, .proves = kCallLoads + kContiguousCallLoads, .growth = Growth::kBudget, .needs = ModuleKind::kHighs}),
    method<latency_ip>("latency-ip", "call latency with its proof: flows against splits, then an integer program",
        {.serves = kCallRuns, .proves = kCallRuns, .growth = Growth::kBudget}),
    method<block_dp>("block-dp", "concurrent latency by blocks between cut nodes, with a bound and often a proof",
        {.serves = kConcurrentRuns, .proves = kConcurrentRuns, .growth = Growth::kBudget}),
    method<replicate>("replicate", "devices that share the whole model, or stages of it, by dividing the samples",
        {.serves = kCallLoads + kContiguousCallLoads + kPieceLoads + kContiguousPieceLoads, .growth = Growth::kBudget}),
    method<local_search>("local-search", "moves and swaps of single units to a local optimum",
        {.growth = Growth::kBudget}),
    method<anneal>("anneal", "simulated annealing from the best heuristics",
        {.growth = Growth::kBudget}),
    method<measured>("measured", "the best of several guesses, by real runs of a model on this machine",
        {.growth = Growth::kBudget, .needs = ModuleKind::kOpenvino}),
    method<hsdag>("hsdag", "groups and devices by a graph network that learns from placements it tries",
        {.growth = Growth::kTraining, .needs = ModuleKind::kTorch}),
    method<post>("post", "a table of probabilities, learned by cross-entropy and proximal steps from placements it tries",
        {.growth = Growth::kTraining}),
    method<coloc_rl>("coloc-rl", "a recurrent network names a device for each group, by REINFORCE from placements it tries",
        {.growth = Growth::kTraining, .needs = ModuleKind::kTorch}),
    method<hdp>("hdp", "one network groups, a recurrent one places the groups, by REINFORCE from placements they try",
        {.growth = Growth::kTraining, .needs = ModuleKind::kTorch}),
    method<placeto>("placeto", "a placement improved node by node by a graph network that learns from every move",
        {.growth = Growth::kTraining, .needs = ModuleKind::kTorch}),
    method<portfolio>("auto", "all heuristics that fit the budget, then blocks, annealing and exact methods",
        {.proves = kConcurrentRuns + kCallRuns + kCallLoads + kContiguousLoads + kSequentialRuns, .growth = Growth::kBudget}),
};
// clang-format on

}  // namespace

std::span<const PlacerEntry> placers() { return kPlacers; }

}  // namespace berth
