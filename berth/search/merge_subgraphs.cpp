#include "berth/search/merge_subgraphs.h"

#include <numeric>
#include <set>

#include "berth/sim/pieces.h"

namespace berth {
namespace {

constexpr std::size_t kMostTried = 16;  // subgraphs a round

struct Subgraph {
  Duration time{0};
  std::set<UnitId> units;         // with a node in it
  std::set<DeviceId> neighbours;  // other devices that it shares a tensor with
};

std::vector<Subgraph> subgraphs_of(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const Pieces pieces = subgraph_pieces(graph, placement.device_of.items());
  std::vector<Subgraph> subgraphs(pieces.count());
  for (const NodeId node : graph.nodes()) {
    Subgraph& own = subgraphs[pieces.piece_of[node]];
    own.time += problem.time(node, placement.device_of[node]);
    own.units.insert(problem.unit_of(node));
    for (const NodeId next : graph.successors(node)) {
      const DeviceId from = placement.device_of[node], to = placement.device_of[next];
      if (from == to) continue;
      own.neighbours.insert(to);
      subgraphs[pieces.piece_of[next]].neighbours.insert(from);
    }
  }
  return subgraphs;
}

std::vector<SearchState::Change> moved(const Subgraph& subgraph, DeviceId device,
                                       const SearchState& state) {
  std::vector<SearchState::Change> changes;
  for (const UnitId unit : subgraph.units) {
    if (state.device_of(unit) == device) continue;
    if (!state.may_move(unit, device)) return {};
    changes.push_back({unit, device});
  }
  return changes;
}

std::size_t subgraph_count(const Problem& problem, const SearchState& state) {
  return subgraph_pieces(problem.graph(), from_units(problem, state.devices()).device_of.items())
      .count();
}

}  // namespace

std::optional<UnitDevices> merge_subgraphs(const Problem& problem, UnitDevices device_of,
                                           Budget& budget, Repair repair) {
  const auto most = static_cast<std::size_t>(problem.model().max_subgraphs);
  if (most == 0) return device_of;
  SearchState state(problem, device_of);
  budget.count();
  for (std::size_t count = subgraph_count(problem, state); count > most;) {
    std::vector<Subgraph> subgraphs = subgraphs_of(problem, from_units(problem, state.devices()));
    const std::size_t tried = std::min(kMostTried, subgraphs.size());
    std::ranges::partial_sort(subgraphs, subgraphs.begin() + static_cast<std::ptrdiff_t>(tried), {},
                              &Subgraph::time);
    std::vector<SearchState::Change> best;
    double least = 0;
    for (std::size_t i = 0; i < tried; ++i)
      for (const DeviceId device : subgraphs[i].neighbours) {
        const std::vector<SearchState::Change> changes = moved(subgraphs[i], device, state);
        if (changes.empty()) continue;
        if (repair == Repair::kWithinBudget && budget.spent()) return std::nullopt;
        state.apply(changes);
        budget.count();
        if (subgraph_count(problem, state) < count && (best.empty() || state.energy() < least)) {
          best = changes;
          least = state.energy();
        }
        state.undo();
      }
    if (best.empty()) return std::nullopt;
    state.apply(best);
    budget.count();
    count = subgraph_count(problem, state);
  }
  return state.devices();
}

}  // namespace berth
