#include "berth/place/baseline/random.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/error.h"
#include "berth/graph/union_find.h"
#include "berth/sim/evaluate.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

using UnitDevices = IdVector<UnitId, DeviceId>;

std::vector<double> device_shares(const Problem& problem, RandomBias bias, Rng& rng) {
  std::vector<double> shares(problem.device_count(), 1.0);
  // Independent exponentials, normalised, are Dirichlet(1,...,1); a draw from them needs no sum
  // of 1.
  if (bias == RandomBias::kDirichlet)
    for (double& share : shares) share = rng.exponential();
  return shares;
}

// One device by its share among those that `usable` admits.
template <class Usable>
std::optional<DeviceId> draw(const std::vector<double>& shares, Usable usable, Rng& rng) {
  double total = 0;
  std::optional<DeviceId> last;
  for (std::size_t d = 0; d < shares.size(); ++d)
    if (usable(static_cast<DeviceId>(d))) {
      total += shares[d];
      last = static_cast<DeviceId>(d);
    }
  double mark = rng.uniform() * total;
  for (std::size_t d = 0; d < shares.size(); ++d) {
    if (!usable(static_cast<DeviceId>(d))) continue;
    mark -= shares[d];
    if (mark < 0) return static_cast<DeviceId>(d);
  }
  return last;  // rounding only; empty when no device is usable
}

// The group of each unit: itself, or the part of the kept edges that it belongs to.
std::vector<std::uint32_t> unit_groups(const Problem& problem, RandomUnit kind, Rng& rng) {
  UnionFind groups(problem.unit_count());
  if (kind == RandomUnit::kParsing) {
    const Graph& graph = problem.graph();
    constexpr double kNoEdge = -1;
    IdVector<NodeId, double> best_score(graph.node_count(), kNoEdge);
    IdVector<NodeId, NodeId> best_neighbour(graph.node_count());
    const auto offer = [&](NodeId node, NodeId neighbour, double score) {
      if (score <= best_score[node]) return;
      best_score[node] = score;
      best_neighbour[node] = neighbour;
    };
    for (const NodeId node : graph.nodes())
      for (const NodeId next : graph.successors(node)) {
        const double score = rng.uniform();
        offer(node, next, score);
        offer(next, node, score);
      }
    for (const NodeId node : graph.nodes())
      if (best_score[node] != kNoEdge)
        groups.join(static_cast<std::uint32_t>(problem.unit_of(node)),
                    static_cast<std::uint32_t>(problem.unit_of(best_neighbour[node])));
  }
  std::vector<std::uint32_t> group(problem.unit_count());
  for (std::uint32_t unit = 0; unit < group.size(); ++unit) group[unit] = groups.find(unit);
  return group;
}

class Sampler {
 public:
  Sampler(const Problem& problem, const RandomOptions& options)
      : problem_(problem), units_(unit_graph(problem)), options_(options) {}

  // Empty when the apart sets cannot be met by the draws.
  std::optional<UnitDevices> sample(Rng& rng) const {
    const std::vector<double> shares = device_shares(problem_, options_.bias, rng);
    const std::vector<std::uint32_t> group = unit_groups(problem_, options_.unit, rng);
    std::vector<std::optional<DeviceId>> group_device(problem_.unit_count());
    std::vector<std::vector<DeviceId>> taken(problem_.apart().size());
    UnitDevices device_of(problem_.unit_count());
    for (const UnitId unit : problem_.units()) {
      const std::span<const std::uint32_t> sets = units_.apart_sets(unit);
      const auto usable = [&](DeviceId device) {
        return problem_.unit_allows(unit, device) &&
               std::none_of(sets.begin(), sets.end(), [&](std::uint32_t set) {
                 return std::find(taken[set].begin(), taken[set].end(), device) != taken[set].end();
               });
      };
      // The first unit of a group draws for all; one that may not follow draws for itself.
      std::optional<DeviceId>& shared = group_device[group[index(unit)]];
      const std::optional<DeviceId> device =
          shared && usable(*shared) ? shared : draw(shares, usable, rng);
      if (!device) return std::nullopt;
      if (!shared) shared = device;
      device_of[unit] = *device;
      for (const std::uint32_t set : sets) taken[set].push_back(*device);
    }
    return device_of;
  }

  // Moves the largest unit of the fullest device to the emptiest device it may use.
  bool repair(UnitDevices& device_of) const {
    std::vector<double> fill(problem_.device_count(), 0);
    for (const UnitId unit : problem_.units())
      fill[index(device_of[unit])] += static_cast<double>(size(unit));
    for (const DeviceId device : problem_.devices())
      if (const std::optional<Bytes>& limit = problem_.cluster().device(device).memory)
        fill[index(device)] /= static_cast<double>(std::max<std::int64_t>(limit->count, 1));
      else
        fill[index(device)] = 0;
    const auto fullest =
        static_cast<DeviceId>(std::max_element(fill.begin(), fill.end()) - fill.begin());
    std::optional<UnitId> largest;
    for (const UnitId unit : problem_.units())
      if (device_of[unit] == fullest && units_.apart_sets(unit).empty() &&
          (!largest || size(unit) > size(*largest)))
        largest = unit;
    if (!largest) return false;
    std::optional<DeviceId> emptiest;
    for (const DeviceId device : problem_.devices())
      if (device != fullest && problem_.unit_allows(*largest, device) &&
          (!emptiest || fill[index(device)] < fill[index(*emptiest)]))
        emptiest = device;
    if (!emptiest) return false;
    device_of[*largest] = *emptiest;
    return true;
  }

 private:
  std::int64_t size(UnitId unit) const {
    return (units_.weights(unit) + units_.outputs(unit)).count;
  }

  const Problem& problem_;
  const UnitGraph& units_;
  const RandomOptions& options_;
};

}  // namespace

void RandomOptions::check() const {
  if (samples < 1)
    throw Error("random(samples=" + std::to_string(samples) + "): expected at least 1");
}

void random_placements(const Context& context, const RandomOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  const Sampler sampler(problem, options);
  Incumbent& best = context.incumbent;
  int drawn = 0;
  const auto consider = [&](const UnitDevices& devices) {
    budget.count();
    return best.offer(from_units(problem, devices)).score.feasible();
  };
  for (; drawn < options.samples && (drawn == 0 || !budget.spent()); ++drawn) {
    Rng stream = context.rng.split(static_cast<std::uint64_t>(drawn));
    std::optional<UnitDevices> devices = sampler.sample(stream);
    if (devices && !consider(*devices) && !budget.spent() && sampler.repair(*devices))
      consider(*devices);
    if (drawn % 64 == 0)
      budget.report({.phase = "random",
                     .best = best.placement() ? std::optional(best.value()) : std::nullopt,
                     .bound = std::nullopt,
                     .fraction = static_cast<double>(drawn) / options.samples,
                     .evaluations = budget.evaluations()});
  }
  best.fail("none of " + std::to_string(drawn) + " random placements is feasible");
}

}  // namespace berth
