#include "berth/search/region_moves.h"

namespace berth {
namespace {

constexpr std::size_t kMostNodes = 8000;           // 8 MB of bits
constexpr std::size_t kMostBranchUnits = 4000000;  // in all branches

// Mostly short, now and then as long as the graph.
std::size_t draw_length(std::size_t most, Rng& rng) {
  return static_cast<std::size_t>(
      std::exp(rng.uniform() * std::log(static_cast<double>(most) + 0.5)));
}

}  // namespace

RegionMoves::RegionMoves(const Problem& problem) : problem_(problem) {
  IdVector<UnitId, bool> seen(problem.unit_count(), false);
  for (const NodeId node : problem.graph().topological_order()) {
    const UnitId unit = problem.unit_of(node);
    if (!seen[unit]) order_.push_back(unit);
    seen[unit] = true;
  }
  if (problem.node_count() <= kMostNodes) find_branches();
}

void RegionMoves::find_branches() {
  const Graph& graph = problem_.graph();
  const std::size_t words = (graph.node_count() + 63) / 64;
  std::vector<std::uint64_t> reach(graph.node_count() * words, 0);
  const std::span<const NodeId> order = graph.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    std::uint64_t* const row = &reach[index(order[i]) * words];
    row[index(order[i]) / 64] |= std::uint64_t{1} << (index(order[i]) % 64);
    for (const NodeId next : graph.successors(order[i]))
      for (std::size_t w = 0; w < words; ++w) row[w] |= reach[index(next) * words + w];
  }
  std::vector<std::uint64_t> bits(words);
  std::vector<UnitId> units;
  for (const NodeId fork : order) {
    const std::span<const NodeId> successors = graph.successors(fork);
    if (successors.size() < 2) continue;
    for (const NodeId own : successors) {
      std::copy_n(&reach[index(own) * words], words, bits.begin());
      for (const NodeId other : successors)
        if (other != own)
          for (std::size_t w = 0; w < words; ++w) bits[w] &= ~reach[index(other) * words + w];
      units.clear();
      for (const NodeId node : graph.nodes())
        if ((bits[index(node) / 64] >> (index(node) % 64) & 1) != 0)
          units.push_back(problem_.unit_of(node));
      std::ranges::sort(units);
      units.erase(std::ranges::unique(units).begin(), units.end());
      if (units.empty() || branch_.size() + units.size() > kMostBranchUnits) continue;
      branch_.insert(branch_.end(), units.begin(), units.end());
      branch_begin_.push_back(branch_.size());
    }
  }
}

void RegionMoves::draw(const SearchState& state, Rng& rng,
                       std::vector<SearchState::Change>& changes) const {
  changes.clear();
  const double kind = rng.uniform();
  if (kind < 0.4) {
    shift(state, rng, changes);
  } else {
    const DeviceId target = static_cast<DeviceId>(rng.below(problem_.device_count()));
    std::span<const UnitId> region;
    if (kind < 0.8 && branch_count() > 0) {
      region = branch(rng.below(branch_count()));
    } else {
      const std::size_t first = rng.below(order_.size());
      region = std::span(order_).subspan(first, draw_length(order_.size() - first, rng));
    }
    for (const UnitId unit : region)
      if (state.device_of(unit) != target) changes.push_back({unit, target});
  }
  for (const SearchState::Change& change : changes)
    if (!state.may_move(change.unit, change.device)) return changes.clear();
}

void RegionMoves::shift(const SearchState& state, Rng& rng,
                        std::vector<SearchState::Change>& changes) const {
  const std::size_t count = order_.size(), first = rng.below(count);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t at = (first + i) % count;
    if (at + 1 == count) continue;
    const DeviceId left = state.device_of(order_[at]), right = state.device_of(order_[at + 1]);
    if (left == right) continue;
    const bool forward = rng.uniform() < 0.5;
    const std::size_t length = draw_length(forward ? count - at - 1 : at + 1, rng);
    for (std::size_t k = 0; k < length; ++k) {
      const UnitId unit = forward ? order_[at + 1 + k] : order_[at - k];
      const DeviceId target = forward ? left : right;
      if (state.device_of(unit) != target) changes.push_back({unit, target});
    }
    return;
  }
}

std::optional<RegionMoves> region_moves(const Problem& problem) {
  if (!problem.model().priced_by_piece()) return std::nullopt;
  return RegionMoves(problem);
}

}  // namespace berth
