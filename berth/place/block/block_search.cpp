#include "berth/place/block/block_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

namespace berth {
namespace {

using Index = Block::Index;

class Search {
 public:
  Search(const Block& block, std::size_t from, std::size_t to)
      : block_(block),
        devices_(block.devices()),
        words_((block.size() + 63) / 64),
        to_(to),
        tail_(block.tails(to)),
        weight_(block.work_weights()),
        least_work_(block.size(), 0.0) {
    for (const double y : weight_) all_weight_ += y;
    for (Index v = 1; v < block.sink(); ++v) {
      double least = kForever.count();
      for (std::size_t d = 0; d < devices_; ++d)
        if (std::isfinite(block.time(v, d))) least = std::min(least, weight_[d] * block.time(v, d));
      least_work_[v] = least;
    }
    begin(from);
  }

  double root_bound() const { return level_.states.front().bound; }

  // True when it came to its end.
  bool run(std::size_t width, double limit, const Budget& budget) {
    limit_ = limit;
    for (Index appended = 1; appended + 1 < block_.size(); ++appended) {
      next_ = {};
      known_.clear();
      for (std::uint32_t at = 0; at < level_.states.size(); ++at) {
        if ((at & 0xff) == 0 && budget.out_of_time()) return false;
        expand(at);
      }
      narrow(width);
      std::vector<Origin>& origins = origins_.emplace_back();
      for (const State& state : next_.states) origins.push_back(state.origin);
      level_ = std::move(next_);
      if (level_.states.empty()) return true;
    }
    for (std::uint32_t at = 0; at < level_.states.size(); ++at)
      if (const double end = level_.states[at].bound; end < limit_) {
        limit_ = best_ = end;
        best_at_ = at;
      }
    return true;
  }

  double best() const { return best_; }                // infinite when nothing was found
  double least_left_out() const { return left_out_; }  // bound of states beyond the width
  bool has_cut() const { return has_cut_; }            // states whose bound reached the limit
  std::vector<BlockSchedule::Step> steps() const {
    std::vector<BlockSchedule::Step> result;
    std::uint32_t at = best_at_;
    for (auto level = origins_.rbegin(); level != origins_.rend(); ++level) {
      const Origin& origin = (*level)[at];
      result.push_back({origin.node, origin.device});
      at = origin.parent;
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  struct Origin {
    std::uint32_t parent;
    Index node;
    std::uint32_t device;
  };
  // A node that is appended and still needed; those of a state by number.
  struct Live {
    Index node;
    std::uint32_t device;
    double end;
  };
  struct State {
    Origin origin;
    std::uint32_t set, live, live_count, free;  // where they begin in the pools of the level
    double last, work_left, bound;
  };
  struct Level {
    std::vector<State> states;
    std::vector<std::uint64_t> sets;
    std::vector<Live> live;
    std::vector<double> free;
  };

  void begin(std::size_t from) {
    State& root = level_.states.emplace_back();
    root.live_count = 1;
    level_.sets.assign(words_, 0);
    level_.sets[0] = 1;
    level_.live.push_back({block_.source(), static_cast<std::uint32_t>(from), 0.0});
    level_.free.assign(devices_, 0.0);
    for (const double work : least_work_) root.work_left += work;
    root.bound = bound_of(root, level_);
  }

  static bool holds(const std::uint64_t* set, Index node) {
    return (set[node / 64] >> (node % 64) & 1) != 0;
  }
  static const Live* find(std::span<const Live> live, Index node) {
    for (const Live& entry : live)
      if (entry.node == node) return &entry;
    return nullptr;
  }

  // When the inputs that are known are there.
  double arrival(std::span<const Live> live, Index node, std::size_t device) const {
    double latest = 0;
    for (const Block::Input& input : block_.inputs(node))
      if (const Live* from = find(live, input.from))
        latest = std::max(latest, from->end + block_.transfer(input, from->device, device));
    return latest;
  }

  // The device that a mate has taken, if any.
  std::optional<std::size_t> tied(std::span<const Live> live, Index node) const {
    for (const Index mate : block_.mates(node))
      if (const Live* entry = find(live, mate)) return entry->device;
    return std::nullopt;
  }

  bool is_needed(const std::uint64_t* set, Index node) const {
    for (const Index next : block_.consumers(node))
      if (!holds(set, next)) return true;
    for (const Index mate : block_.mates(node))
      if (!holds(set, mate)) return true;
    return false;
  }

  double bound_of(const State& state, const Level& level) const {
    const std::span<const Live> live{level.live.data() + state.live, state.live_count};
    const double* const free = level.free.data() + state.free;
    const std::uint64_t* const set = level.sets.data() + state.set;
    double bound = state.work_left;
    for (std::size_t d = 0; d < devices_; ++d) bound += weight_[d] * std::max(free[d], state.last);
    bound /= all_weight_;
    for (const Live& entry : live)
      for (const Index next : block_.consumers(entry.node)) {
        if (holds(set, next)) continue;
        const std::optional<std::size_t> only = tied(live, next);
        double least = kForever.count();
        for (std::size_t d = 0; d < devices_; ++d) {
          const double tail = tail_[next * devices_ + d];
          if ((only && *only != d) || !std::isfinite(tail)) continue;
          const double start = next == block_.sink() ? 0 : std::max(free[d], state.last);
          least = std::min(least, std::max(start, arrival(live, next, d)) + tail);
        }
        bound = std::max(bound, least);
      }
    return bound;
  }

  void expand(std::uint32_t at) {
    const State state = level_.states[at];
    const std::span<const Live> live{level_.live.data() + state.live, state.live_count};
    const std::uint64_t* const set = level_.sets.data() + state.set;
    tried_.assign(words_, 0);
    for (const Live& entry : live)
      for (const Index next : block_.consumers(entry.node)) {
        if (next == block_.sink() || holds(set, next) || holds(tried_.data(), next)) continue;
        tried_[next / 64] |= std::uint64_t{1} << (next % 64);
        const auto has = [&](const Block::Input& input) { return holds(set, input.from); };
        if (!std::ranges::all_of(block_.inputs(next), has)) continue;
        const std::optional<std::size_t> only = tied(live, next);
        for (std::size_t d = 0; d < devices_; ++d)
          if ((!only || *only == d) && std::isfinite(block_.time(next, d)))
            append(at, state, next, d);
      }
  }

  void append(std::uint32_t at, const State& state, Index node, std::size_t device) {
    const std::span<const Live> live{level_.live.data() + state.live, state.live_count};
    const double start = std::max(level_.free[state.free + device], arrival(live, node, device));
    if (start < state.last) return;  // built in another order
    if (start + tail_[node * devices_ + device] >= limit_) {
      has_cut_ = true;
      return;
    }
    const double end = start + block_.time(node, device);
    State next{.origin = {at, node, static_cast<std::uint32_t>(device)},
               .set = static_cast<std::uint32_t>(next_.sets.size()),
               .live = static_cast<std::uint32_t>(next_.live.size()),
               .live_count = 0,
               .free = static_cast<std::uint32_t>(next_.free.size()),
               .last = start,
               .work_left = state.work_left - least_work_[node],
               .bound = 0};
    const auto sets = level_.sets.begin() + state.set;
    next_.sets.insert(next_.sets.end(), sets, sets + static_cast<std::ptrdiff_t>(words_));
    next_.sets[next.set + node / 64] |= std::uint64_t{1} << (node % 64);
    const auto free = level_.free.begin() + state.free;
    next_.free.insert(next_.free.end(), free, free + static_cast<std::ptrdiff_t>(devices_));
    next_.free[next.free + device] = end;
    const std::uint64_t* const set = next_.sets.data() + next.set;
    const auto keep = [&](const Live& entry) {
      if (!is_needed(set, entry.node)) return;
      next_.live.push_back(entry);
      ++next.live_count;
    };
    const auto place = std::ranges::upper_bound(live, node, {}, &Live::node);
    std::for_each(live.begin(), place, keep);
    keep({node, static_cast<std::uint32_t>(device), end});
    std::for_each(place, live.end(), keep);
    next.bound = std::max(state.bound, bound_of(next, next_));
    if (next.bound < limit_ && is_new(next)) {
      next_.states.push_back(next);
      return;
    }
    has_cut_ |= next.bound >= limit_;
    next_.sets.resize(next.set);
    next_.live.resize(next.live);
    next_.free.resize(next.free);
  }

  std::string key_of(const State& state) const {
    std::string key(reinterpret_cast<const char*>(next_.sets.data() + state.set), words_ * 8);
    for (std::uint32_t i = 0; i < state.live_count; ++i) {
      const std::uint32_t device = next_.live[state.live + i].device;
      key.push_back(static_cast<char>(device & 0xff));
      key.push_back(static_cast<char>(device >> 8));
    }
    return key;
  }

  // Whether whatever b can become, a can become no later. Of the same set and devices.
  bool as_good(const State& a, const State& b) const {
    if (a.last > b.last) return false;
    for (std::size_t d = 0; d < devices_; ++d)
      if (next_.free[a.free + d] > std::max(next_.free[b.free + d], b.last)) return false;
    for (std::uint32_t i = 0; i < a.live_count; ++i) {
      const Live &mine = next_.live[a.live + i], &other = next_.live[b.live + i];
      if (mine.end > std::max(other.end, b.last - block_.longest_transfer(mine.node))) return false;
    }
    return true;
  }

  // False when a known state is as good; those that are no better than this one are dropped.
  bool is_new(const State& state) {
    std::vector<std::uint32_t>& same = known_[key_of(state)];
    for (const std::uint32_t other : same)
      if (as_good(next_.states[other], state)) return false;
    std::erase_if(same, [&](std::uint32_t other) {
      if (!as_good(state, next_.states[other])) return false;
      next_.states[other].bound = kForever.count();
      return true;
    });
    same.push_back(static_cast<std::uint32_t>(next_.states.size()));
    return true;
  }

  // The states of least bound, by bound; equal ones as they came.
  void narrow(std::size_t width) {
    std::vector<State>& states = next_.states;
    std::erase_if(states, [](const State& state) { return !std::isfinite(state.bound); });
    std::ranges::stable_sort(states, {}, &State::bound);
    if (states.size() <= width) return;
    left_out_ = std::min(left_out_, states[width].bound);
    states.resize(width);
  }

  const Block& block_;
  std::size_t devices_, words_, to_;
  std::vector<double> tail_;
  std::span<const double> weight_;  // y
  double all_weight_ = 0;
  std::vector<double> least_work_;  // min_d y_d p
  Level level_, next_;
  std::vector<std::vector<Origin>> origins_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> known_;
  std::vector<std::uint64_t> tried_;
  double limit_ = kForever.count(), best_ = kForever.count(), left_out_ = kForever.count();
  std::uint32_t best_at_ = 0;
  bool has_cut_ = false;
};

}  // namespace

BlockSchedule block_bound(const Block& block, std::size_t from, std::size_t to) {
  return {.lower = Search(block, from, to).root_bound()};
}

void search_block(const Block& block, std::size_t from, std::size_t to, std::size_t width,
                  double enough, const Budget& budget, BlockSchedule& known) {
  Search search(block, from, to);
  const double limit = std::min(enough, known.upper);
  if (!search.run(width, limit, budget)) return;
  if (search.best() < known.upper) {
    known.upper = search.best();
    known.steps = search.steps();
  }
  double lower = std::min(search.best(), search.least_left_out());
  if (search.has_cut()) lower = std::min(lower, limit);
  known.lower = std::max(known.lower, std::min(lower, known.upper));
}

}  // namespace berth
