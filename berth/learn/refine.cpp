#include "berth/learn/refine.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

constexpr int kRounds = 2;
constexpr double kHot = 0.02, kCold = 2e-5;  // as fractions of the value (search/annealing.h)
constexpr double kProposed = 0.2;            // share of the changes

// The problem with whole sets as its units.
Problem problem_of_sets(const Problem& problem, const PolicyGraph& graph) {
  if (graph.size() == problem.unit_count()) return problem;
  Constraints constraints = problem.constraints();
  for (const std::vector<NodeId>& members : graph.members)
    if (members.size() > 1) constraints.together.push_back(members);
  return problem.with_constraints(std::move(constraints));
}

double temperature_at(double progress, int round) {
  const double hot = kHot * std::pow(0.25, round);
  return hot * std::pow(kCold / hot, std::clamp(progress * kRounds - round, 0.0, 1.0));
}

// Mostly small, now and then a quarter of the graph.
std::size_t draw_size(const PolicyGraph& graph, Rng& rng) {
  const double most = std::max(static_cast<double>(graph.size()) / 4, 2.0);
  return static_cast<std::size_t>(2 * std::pow(most / 2, rng.uniform()));
}

// `size` sets in topological order, fewer at its end.
SetGroup stretch(const PolicyGraph& graph, std::size_t size, Rng& rng) {
  const std::size_t begin = rng.below(graph.size());
  SetGroup found;
  for (std::size_t set = begin; set < std::min(begin + size, graph.size()); ++set)
    found.push_back(static_cast<std::uint32_t>(set));
  return found;
}

}  // namespace

Refiner::Refiner(const Problem& problem, const PolicyGraph& graph)
    : problem_(problem_of_sets(problem, graph)) {
  for (const std::vector<NodeId>& members : graph.members)
    unit_of_.push_back(problem_.unit_of(members.front()));
  if (problem.as<InPieces>()) regions_ = std::make_shared<const RegionMoves>(problem_);
}

UnitDevices Refiner::to_units(const SetDevices& devices) const {
  UnitDevices result(problem_.unit_count());
  for (std::size_t set = 0; set < devices.size(); ++set)
    result[unit_of_[set]] = static_cast<DeviceId>(devices[set]);
  return result;
}

SetDevices Refiner::to_sets(const UnitDevices& devices) const {
  SetDevices result;
  for (const UnitId unit : unit_of_) result.push_back(static_cast<std::uint32_t>(devices[unit]));
  return result;
}

void Refiner::advance(const Refinement& refinement, double progress, Rng rng) {
  const int round = std::min(static_cast<int>(progress * kRounds), kRounds - 1);
  temperature_ = temperature_at(progress, round);
  if (round == state_.round || refinement.elite.empty()) return;
  state_ = {.chains = {}, .round = round};
  const std::vector<Scored>& elite = refinement.elite.members();
  const auto sample = std::ranges::min_element(
      refinement.samples, [](const Scored& a, const Scored& b) { return a.score < b.score; });
  const bool fits = sample != refinement.samples.end() && sample->score.feasible();
  for (std::size_t i = 0; i < kChains; ++i) {
    if (i == 0)
      state_.chains.push_back(elite.front().devices);
    else
      state_.chains.push_back(i % 2 == 1 && fits ? sample->devices
                                                 : elite[rng.below(elite.size())].devices);
  }
}

void Refiner::propose(const SearchState& state, const Refinement& refinement, Rng& rng,
                      std::vector<SearchState::Change>& changes) const {
  const PolicyGraph& graph = refinement.graph;
  const auto add = [&](std::uint32_t set, std::uint32_t device) {
    const SearchState::Change change{unit_of_[set], static_cast<DeviceId>(device)};
    if (state.device_of(change.unit) == change.device) return true;
    if (!state.may_move(change.unit, change.device)) return false;
    changes.push_back(change);
    return true;
  };
  if (!refinement.groups.empty() && rng.below(2) == 0) {
    const std::uint32_t device = static_cast<std::uint32_t>(rng.below(graph.device_count));
    for (const std::uint32_t set : refinement.groups[rng.below(refinement.groups.size())])
      if (!add(set, device)) return changes.clear();
    return;
  }
  const std::span<const Scored> elite = refinement.elite.members();
  const std::span<const Scored> among =
      refinement.samples.empty() || rng.below(2) == 0 ? elite : refinement.samples;
  const SetDevices& from = among[rng.below(among.size())].devices;
  const std::size_t size = draw_size(graph, rng);
  for (const std::uint32_t set :
       rng.below(2) == 0 ? neighbourhood(graph, size, rng) : stretch(graph, size, rng))
    if (!add(set, from[set])) return changes.clear();
}

std::vector<Scored> Refiner::run(std::size_t which, const Refinement& refinement, Budget& budget,
                                 Rng rng) {
  std::vector<Scored> found;
  const auto goes_on = [&] {
    return !budget.out_of_time() && (!refinement.goes_on || refinement.goes_on());
  };
  if (refinement.steps == 0 || !goes_on()) return found;
  const Proposals proposals{.share = kProposed,
                            .draw = [&](const SearchState& state, Rng& stream, auto& changes) {
                              propose(state, refinement, stream, changes);
                            }};
  const AnnealingChain chain{
      .problem = problem_,
      .regions = regions_.get(),
      .proposals = &proposals,
      .allowance = refinement.steps,
      .floor = 0,
      .temperature = [&](double) { return goes_on() ? std::optional(temperature_) : std::nullopt; },
      .improved =
          [&](const UnitDevices& units, const Score& score) {
            if (refinement.elite.takes(score)) found.push_back({to_sets(units), score});
          }};
  const AnnealingChain::End end = chain.run(to_units(state_.chains[which]), rng);
  state_.chains[which] = to_sets(end.last);
  budget.count(end.evaluations);
  return found;
}

}  // namespace berth
