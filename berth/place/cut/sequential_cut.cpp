#include "berth/place/cut/sequential_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/place/cut/apart_assignments.h"
#include "berth/place/cut/cut_moves.h"
#include "berth/place/cut/memory_prices.h"
#include "berth/place/cut/multiway_bound.h"
#include "berth/search/descent.h"
#include "berth/search/search_state.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

constexpr double kMostApartWork = 1e6;  // ways to keep units apart, times units
constexpr double kMostLocalWork = 2e8;  // evaluations of local search, times nodes and edges

// What all steps work on: units go to the incumbent, which keeps the best, fitting or not.
class Search {
 public:
  Search(const Problem& problem, Duration overhead, Incumbent& incumbent, Budget& budget)
      : problem_(problem), overhead_(overhead), incumbent_(incumbent), budget_(budget) {}

  // True when it is the best so far, by overflow and value.
  bool consider(const UnitDevices& device_of) {
    const bool first = !incumbent_.draft();
    const Score before = incumbent_.draft_score();
    budget_.count();
    const Score score = incumbent_.suggest(from_units(problem_, device_of), {}, "cut").score;
    return first || score < before;
  }
  void raise_bound(double micros) { bound_ = std::max(bound_, micros); }

  Duration overhead() const { return overhead_; }  // of a subgraph
  UnitDevices best() const { return to_units(problem_, *incumbent_.draft()); }
  Score score() const { return incumbent_.draft_score(); }
  double bound() const { return bound_; }  // of the additive cost
  // Whether the best placement reaches it.
  bool closed() const {
    return score().feasible() && score().value.count() <= bound_ * (1 + kSettled);
  }
  bool overfull(const UnitDevices& device_of, DeviceId device) const {
    const std::optional<Bytes> limit = problem_.cluster().device(device).memory;
    return limit &&
           simulate(problem_, from_units(problem_, device_of)).memory[device].peak() > *limit;
  }

 private:
  const Problem& problem_;
  Duration overhead_;
  Incumbent& incumbent_;
  Budget& budget_;
  double bound_ = 0;
};

std::vector<Duration> surcharges(Duration o) {
  if (o == Duration{0}) return {o};
  return {Duration{0}, o / 8, o / 4, o / 2, o, 2 * o};
}

struct CutSweep {
  double bound = 0;       // of the additive cost; zero where cuts prove none
  bool improved = false;  // the search has a new best
};

CutSweep cut_for_all_surcharges(const AdditiveCost& cost, Search& search, const Budget& budget) {
  const UnitDevices start = cheapest_start(cost);
  const DeviceId last = static_cast<DeviceId>(cost.device_count() - 1);
  CutSweep sweep;
  for (const Duration surcharge : surcharges(search.overhead())) {
    const AdditiveCost priced = cost.with_prices({.per_transfer = surcharge});
    if (cost.device_count() <= 2) {
      const SwapResult swap = best_swap(priced, start, DeviceId{0}, last);
      if (surcharge == Duration{0}) sweep.bound = swap.bound;
      sweep.improved |= search.consider(swap.device_of);
    } else {
      sweep.improved |= search.consider(expand_and_swap(priced, start, budget));
    }
    if (budget.spent()) break;
  }
  return sweep;
}

// Cuts under every way to keep units apart. Returns the cost with the pins of the best way, or
// nothing when no way was found.
std::optional<AdditiveCost> cut_every_way(const AdditiveCost& cost, Search& search,
                                          const Budget& budget) {
  const Problem& problem = cost.problem();
  if (problem.apart().empty()) {
    search.raise_bound(cut_for_all_surcharges(cost, search, budget).bound);
    return cost;
  }
  Budget uncounted;
  Incumbent any(problem, uncounted, "sequential-cut");  // its drafts may break the rule
  Search relaxed(problem, search.overhead(), any, uncounted);
  search.raise_bound(cut_for_all_surcharges(cost, relaxed, budget).bound);
  const double units = static_cast<double>(problem.unit_count());
  const auto most = static_cast<std::size_t>(std::clamp(kMostApartWork / units, 1.0, 64.0));
  ApartAssignments apart = ways_to_keep_apart(problem, relaxed.best(), most);

  std::optional<AdditiveCost> best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<UnitPin>& pins : apart.ways) {
    const AdditiveCost pinned = cost.with_pins(pins);
    const CutSweep sweep = cut_for_all_surcharges(pinned, search, budget);
    least = std::min(least, sweep.bound);
    if (sweep.improved) best = pinned;
    if (!budget.spent()) continue;
    apart.complete = false;
    break;
  }
  if (best && apart.complete && problem.device_count() <= 2) search.raise_bound(least);
  return best;
}

// Prices on memory, while the best placement does not fit.
void price_memory(const AdditiveCost& cost, Search& search, const Budget& budget) {
  std::vector<DeviceId> full;
  for (const DeviceId device : cost.problem().devices())
    if (search.overfull(search.best(), device)) full.push_back(device);
  if (full.empty()) return;
  const Consider consider = [&](const UnitDevices& found) { search.consider(found); };
  const Overfull overfull = [&](const UnitDevices& found, DeviceId device) {
    return search.overfull(found, device);
  };
  if (cost.device_count() == 2 && full.size() == 1) {
    const Duration bound = price_one_device(cost, full[0], budget, consider);
    if (cost.problem().apart().empty()) search.raise_bound(bound.count());  // else: of one way only
    if (!search.score().feasible())
      price_until_it_fits(cost.with_generous_sizes(), full[0], budget, consider, overfull);
  } else if (cost.device_count() > 2) {
    price_all_devices(cost, budget, consider, overfull);
    if (!search.score().feasible())
      price_all_devices(cost.with_generous_sizes(), budget, consider, overfull);
  }
}

// The linear bound; its rounded shares are one more start.
void bound_by_relaxation(const AdditiveCost& cost, Search& search, const Budget& budget) {
  const std::optional<MultiwayBound> relaxation = multiway_bound(cost, budget);
  if (!relaxation) return;
  search.raise_bound(relaxation->value.count());
  if (!search.closed() && cost.problem().apart().empty())
    search.consider(expand_and_swap(cost, relaxation->rounded, budget));
}

void improve(const Problem& problem, Search& search, int improvements, Budget& budget, Rng rng) {
  const bool full_evaluations =
      search.overhead() > Duration{0} || memory_rule(problem) == MemoryRule::kLifetimes;
  const double size =
      static_cast<double>(problem.node_count()) + static_cast<double>(problem.graph().edge_count());
  double most = improvements;
  if (full_evaluations) most = std::min(most, kMostLocalWork / size);
  if (most < 1) return;
  Budget part = budget.part({.seconds = {}, .evaluations = static_cast<std::uint64_t>(most)});
  // Random swaps: a few times all pairs finds nearly all of them.
  const double pairs = 2 * static_cast<double>(problem.unit_count() * problem.unit_count());
  DescentOptions local;
  local.swaps = static_cast<int>(std::min<double>(local.swaps, pairs));
  search.consider(improve_locally(problem, search.best(), local, part, rng));
}

}  // namespace

void sequential_cut(const Context& context, const SequentialCutOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  Incumbent& incumbent = context.incumbent;
  const AdditiveCost cost(problem);
  const Sequential* const sequential = problem.as<Sequential>();
  const Duration overhead = sequential ? sequential->subgraph_overhead : Duration{0};
  Search search(problem, overhead, incumbent, budget);

  const std::optional<AdditiveCost> pinned = cut_every_way(cost, search, budget);
  if (!pinned) return incumbent.fail("no placement keeps apart the nodes that must be apart");
  if (!search.score().feasible()) price_memory(*pinned, search, budget);
  if (!search.score().feasible()) {
    if (const auto fitting = make_fit(problem, search.best(), budget)) search.consider(*fitting);
  }
  const bool small = problem.unit_count() * problem.device_count() <=
                     static_cast<std::size_t>(std::max(0, options.bound_size));
  if (sequential && problem.device_count() > 2 && small && !budget.spent()) {
    if (milp_available())
      bound_by_relaxation(cost, search, budget);
    else
      incumbent.note("no linear lower bound: this build has no solver (HiGHS)");
  }
  if (sequential && !search.closed() && !budget.spent())
    improve(problem, search, options.improvements, budget, context.rng);

  if (!search.score().feasible())
    return incumbent.fail("no placement was found that fits into memory");
  if (!sequential) return;
  incumbent.raise_bound(Duration{search.bound()});
  if (search.closed()) incumbent.prove();
}

}  // namespace berth
