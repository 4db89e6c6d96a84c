#include "berth/place/block/block_search.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

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
        least_work_(block.size(), 0.0),
        place_(block.size(), kNowhere) {
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
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::size_t kAny = ~std::size_t{0};
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
    std::uint32_t same_key = kNowhere;          // another state of the level with its key
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
    look_at(root);
    root.bound = work_bound(root.work_left, 0.0);
    for (std::size_t i = 0; i < next_nodes_.size(); ++i)
      root.bound = std::max(root.bound, least_end(i, 0.0));
  }

  static bool holds(const std::uint64_t* set, Index node) {
    return (set[node / 64] >> (node % 64) & 1) != 0;
  }
  bool is_needed(const std::uint64_t* set, Index node) const {
    const auto is_missing = [&](Index other) { return !holds(set, other); };
    return std::ranges::any_of(block_.consumers(node), is_missing) ||
           std::ranges::any_of(block_.mates(node), is_missing);
  }

  // What a state is looked at by: the nodes that use something appended, whether all of their
  // inputs are, when those that are reach each device, and the device that a mate has taken.
  struct NextNode {
    Index node;
    bool is_ready = true;
    std::size_t only = kAny;
  };
  void look_at(const State& state) {
    for (const NextNode& next : next_nodes_) place_[next.node] = kNowhere;
    next_nodes_.clear();
    arrival_.clear();
    free_.assign(level_.free.begin() + state.free,
                 level_.free.begin() + state.free + static_cast<std::ptrdiff_t>(devices_));
    const std::uint64_t* const set = level_.sets.data() + state.set;
    const std::span<const Live> live{level_.live.data() + state.live, state.live_count};
    for (const Live& entry : live)
      for (const Block::Use& use : block_.uses(entry.node))
        if (!holds(set, use.consumer)) arrive(use, entry.device, entry.end);
    for (NextNode& next : next_nodes_)
      for (const Block::Input& input : block_.inputs(next.node))
        next.is_ready &= holds(set, input.from);
    for (const Live& entry : live)
      for (const Index mate : block_.mates(entry.node))
        if (place_[mate] != kNowhere) next_nodes_[place_[mate]].only = entry.device;
  }
  void arrive(const Block::Use& use, std::size_t device, double end) {
    if (place_[use.consumer] == kNowhere) {
      place_[use.consumer] = static_cast<std::uint32_t>(next_nodes_.size());
      next_nodes_.push_back({use.consumer});
      arrival_.resize(arrival_.size() + devices_, 0.0);
    }
    double* const arrival = &arrival_[place_[use.consumer] * devices_];
    for (std::size_t d = 0; d < devices_; ++d)
      arrival[d] = std::max(arrival[d], end + block_.transfer(use.input, device, d));
  }

  double work_bound(double work_left, double last) const {
    for (std::size_t d = 0; d < devices_; ++d) work_left += weight_[d] * std::max(free_[d], last);
    return work_left / all_weight_;
  }
  // The least end of a next node's way, whichever device it takes.
  double least_end(std::size_t next, double last) const {
    const NextNode& at = next_nodes_[next];
    const double* const arrival = &arrival_[next * devices_];
    const double* const tail = &tail_[at.node * devices_];
    double least = kForever.count();
    for (std::size_t d = 0; d < devices_; ++d) {
      if (at.only != kAny && at.only != d) continue;
      const double start = at.node == block_.sink() ? 0 : std::max(free_[d], last);
      least = std::min(least, std::max(start, arrival[d]) + tail[d]);
    }
    return least;
  }

  void expand(std::uint32_t at) {
    const State state = level_.states[at];
    look_at(state);
    const std::size_t count = next_nodes_.size();
    for (std::size_t next = 0; next < count; ++next) {
      const NextNode node = next_nodes_[next];
      if (!node.is_ready || node.node == block_.sink()) continue;
      for (std::size_t d = 0; d < devices_; ++d)
        if ((node.only == kAny || node.only == d) && std::isfinite(block_.time(node.node, d)))
          append(at, state, next, d);
    }
  }

  void append(std::uint32_t at, const State& state, std::size_t next, std::size_t device) {
    const Index node = next_nodes_[next].node;
    const double start = std::max(free_[device], arrival_[next * devices_ + device]);
    if (start < state.last) return;  // built in another order
    const double end = start + block_.time(node, device);
    State child{.origin = {at, node, static_cast<std::uint32_t>(device)},
                .last = start,
                .work_left = state.work_left - least_work_[node],
                .bound = std::max(state.bound, start + tail_[node * devices_ + device])};
    if (child.bound < limit_) bound_child(child, next, end);
    if (child.bound >= limit_) {
      has_cut_ = true;
      return;
    }
    add(child, state, end);
  }

  // With the node at `next` appended: what it brings to its users, and its device busy until `end`.
  void bound_child(State& child, std::size_t next, double end) {
    const auto [node, device] = std::pair(child.origin.node, child.origin.device);
    const std::size_t count = next_nodes_.size();
    const double free = std::exchange(free_[device], end);
    changed_.clear();
    for (const Block::Use& use : block_.uses(node)) {
      const std::uint32_t known = place_[use.consumer];
      if (known != kNowhere && known < count)
        for (std::size_t d = 0; d < devices_; ++d)
          changed_.emplace_back(known * devices_ + d, arrival_[known * devices_ + d]);
      arrive(use, device, end);
    }
    child.bound = std::max(child.bound, work_bound(child.work_left, child.last));
    for (std::size_t i = 0; i < next_nodes_.size() && child.bound < limit_; ++i)
      if (i != next) child.bound = std::max(child.bound, least_end(i, child.last));
    for (auto change = changed_.rbegin(); change != changed_.rend(); ++change)
      arrival_[change->first] = change->second;
    for (std::size_t i = count; i < next_nodes_.size(); ++i) place_[next_nodes_[i].node] = kNowhere;
    next_nodes_.resize(count);
    arrival_.resize(count * devices_);
    free_[device] = free;
  }

  void add(State child, const State& state, double end) {
    const std::span<const Live> live{level_.live.data() + state.live, state.live_count};
    const auto [parent, node, device] = child.origin;
    child.set = static_cast<std::uint32_t>(next_.sets.size());
    child.live = static_cast<std::uint32_t>(next_.live.size());
    child.free = static_cast<std::uint32_t>(next_.free.size());
    const auto set = level_.sets.begin() + state.set;
    next_.sets.insert(next_.sets.end(), set, set + static_cast<std::ptrdiff_t>(words_));
    next_.sets[child.set + node / 64] |= std::uint64_t{1} << (node % 64);
    next_.free.insert(next_.free.end(), free_.begin(), free_.end());
    next_.free[child.free + device] = end;
    const auto keep = [&](const Live& entry) {
      if (is_needed(next_.sets.data() + child.set, entry.node)) next_.live.push_back(entry);
    };
    const auto place = std::ranges::upper_bound(live, node, {}, &Live::node);
    std::for_each(live.begin(), place, keep);
    keep({node, device, end});
    std::for_each(place, live.end(), keep);
    child.live_count = static_cast<std::uint32_t>(next_.live.size()) - child.live;
    if (is_new(child)) {
      next_.states.push_back(child);
      return;
    }
    next_.sets.resize(child.set);
    next_.live.resize(child.live);
    next_.free.resize(child.free);
  }

  std::uint64_t key_of(const State& state) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    const auto mix = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32;
    };
    for (std::size_t i = 0; i < words_; ++i) mix(next_.sets[state.set + i]);
    for (std::uint32_t i = 0; i < state.live_count; ++i) mix(next_.live[state.live + i].device);
    return hash;
  }
  bool same_choices(const State& a, const State& b) const {
    const auto set = next_.sets.begin();
    const auto live = next_.live.begin();
    return std::equal(set + a.set, set + a.set + static_cast<std::ptrdiff_t>(words_),
                      set + b.set) &&
           std::equal(live + a.live, live + a.live + a.live_count, live + b.live,
                      [](const Live& x, const Live& y) { return x.device == y.device; });
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
  bool is_new(State& state) {
    const std::uint32_t own = static_cast<std::uint32_t>(next_.states.size());
    const auto [first, is_first] = known_.try_emplace(key_of(state), own);
    if (is_first) return true;
    for (std::uint32_t at = first->second; at != kNowhere; at = next_.states[at].same_key) {
      State& other = next_.states[at];
      if (!std::isfinite(other.bound) || !same_choices(other, state)) continue;
      if (as_good(other, state)) return false;
      if (as_good(state, other)) other.bound = kForever.count();
    }
    state.same_key = std::exchange(first->second, own);
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
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by key: the last such state
  std::vector<NextNode> next_nodes_;                        // of the state that is looked at
  std::vector<std::uint32_t> place_;                        // by node: among them
  std::vector<double> arrival_, free_;                      // by next node and device; by device
  std::vector<std::pair<std::size_t, double>> changed_;     // arrivals before a child's bound
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
