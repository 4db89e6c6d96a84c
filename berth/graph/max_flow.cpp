#include "berth/graph/max_flow.h"

#include <algorithm>
#include <cassert>

namespace berth {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = ~Index{0};

// Each node's side where infinite arcs decide it.
enum Side : std::uint8_t { kOpen = 0, kSource = 1, kSink = 2, kBoth = kSource | kSink };
using Sides = std::vector<std::uint8_t>;

// Arcs by tail, the two directions of an arc pointing at each other.
struct Residual {
  std::vector<Index> begin, head, reverse;
  std::vector<Capacity> room;

  Residual(std::size_t nodes, const std::vector<FlowNetwork::Arc>& arcs) : begin(nodes + 1, 0) {
    for (const auto& arc : arcs) {
      ++begin[arc.from + 1];
      ++begin[arc.to + 1];
    }
    for (std::size_t v = 0; v < nodes; ++v) begin[v + 1] += begin[v];
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    head.resize(2 * arcs.size());
    reverse.resize(2 * arcs.size());
    room.resize(2 * arcs.size());
    for (const auto& arc : arcs) {
      const Index there = next[arc.from]++, back = next[arc.to]++;
      head[there] = arc.to;
      head[back] = arc.from;
      reverse[there] = back;
      reverse[back] = there;
      room[there] = arc.capacity;
      room[back] = arc.back;
    }
  }
};

// Follows infinite arcs forward from the source and backward from the sink.
Sides forced_sides(const FlowNetwork& network) {
  const std::size_t n = network.node_count();
  std::vector<FlowNetwork::Arc> infinite;
  for (const auto& arc : network.arcs) {
    const bool there = arc.capacity == kInfiniteCapacity, back = arc.back == kInfiniteCapacity;
    if (there || back) infinite.push_back({arc.from, arc.to, there, back});
  }
  const Residual arcs(n, infinite);
  Sides side(n, kOpen);
  std::vector<Index> queue;
  for (const Side mark : {kSource, kSink}) {
    const auto& terminal = mark == kSource ? network.from_source : network.to_sink;
    queue.clear();
    for (Index v = 0; v < n; ++v)
      if (terminal[v] == kInfiniteCapacity) {
        side[v] |= mark;
        queue.push_back(v);
      }
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const Index v = queue[at];
      for (Index a = arcs.begin[v]; a < arcs.begin[v + 1]; ++a) {
        const bool open = mark == kSource ? arcs.room[a] != 0 : arcs.room[arcs.reverse[a]] != 0;
        if (!open || (side[arcs.head[a]] & mark)) continue;
        side[arcs.head[a]] |= mark;
        queue.push_back(arcs.head[a]);
      }
    }
  }
  return side;
}

// The network of the open nodes: arcs from forced nodes become arcs from the terminals.
struct Reduced {
  std::vector<Index> name;  // of each open node in the whole network
  std::vector<FlowNetwork::Arc> arcs;
  std::vector<Capacity> excess, to_sink;
  Capacity value = 0;  // paid whatever the open nodes do
};

Reduced reduce(const FlowNetwork& network, const Sides& side) {
  const std::size_t n = network.node_count();
  Reduced reduced;
  std::vector<Index> number(n, kNone);
  Capacity total = 1;
  const auto count_in = [&](Capacity capacity) {
    assert(capacity >= 0);
    if (capacity == kInfiniteCapacity) return;
    assert(capacity <= FlowNetwork::kLargestTotal - total);  // the caller scales its costs
    total += capacity;
  };
  for (Index v = 0; v < n; ++v) {
    count_in(network.from_source[v]);
    count_in(network.to_sink[v]);
    if (side[v] == kSource) reduced.value += network.to_sink[v];
    if (side[v] == kSink) reduced.value += network.from_source[v];
    if (side[v] != kOpen) continue;
    number[v] = static_cast<Index>(reduced.name.size());
    reduced.name.push_back(v);
    reduced.excess.push_back(network.from_source[v]);
    reduced.to_sink.push_back(network.to_sink[v]);
  }
  for (const auto& arc : network.arcs) {
    count_in(arc.capacity);
    count_in(arc.back);
  }
  // More than any finite cut, and no sum of flows exceeds it.
  const auto finite = [&](Capacity c) { return c == kInfiniteCapacity ? total : c; };
  const auto one_way = [&](Index from, Index to, Capacity capacity) {
    if (capacity == 0) return;
    if (side[from] == kSource && side[to] == kSink) reduced.value += capacity;
    if (side[from] == kSource && side[to] == kOpen) reduced.excess[number[to]] += capacity;
    if (side[from] == kOpen && side[to] == kSink) reduced.to_sink[number[from]] += capacity;
  };
  for (const auto& arc : network.arcs) {
    if (arc.from == arc.to) continue;
    if (side[arc.from] == kOpen && side[arc.to] == kOpen) {
      if (arc.capacity != 0 || arc.back != 0)
        reduced.arcs.push_back(
            {number[arc.from], number[arc.to], finite(arc.capacity), finite(arc.back)});
    } else {
      one_way(arc.from, arc.to, arc.capacity);
      one_way(arc.to, arc.from, arc.back);
    }
  }
  return reduced;
}

class PushRelabel {
 public:
  explicit PushRelabel(const Reduced& network)
      : n_(static_cast<Index>(network.name.size())),
        arcs_(n_, network.arcs),
        excess_(network.excess),
        to_sink_(network.to_sink),
        label_(n_, 0),
        current_(n_, 0),
        next_(n_, kNone),
        previous_(n_, kNone),
        active_(n_ + 2, kNone),
        resting_(n_ + 2, kNone) {}

  Capacity run() {
    for (Index v = 0; v < n_; ++v) push_to_sink(v);
    relabel_all();
    while (highest_active_ != kNone) {
      const Index v = active_[highest_active_];
      if (v == kNone) {
        if (highest_active_-- == 0) break;
        continue;
      }
      active_[highest_active_] = next_[v];
      discharge(v);
      if (work_ > work_limit()) relabel_all();
    }
    relabel_all();
    return delivered_;
  }
  // After run(): whether the node still reaches the sink, which puts it on the sink's side.
  bool reaches_sink(Index v) const { return label_[v] < far(); }

 private:
  // The label of nodes that do not reach the sink; a path to the sink has at most n arcs.
  Index far() const { return n_ + 1; }
  std::size_t work_limit() const { return 6 * std::size_t{n_} + arcs_.head.size(); }

  void push_to_sink(Index v) {
    const Capacity amount = std::min(excess_[v], to_sink_[v]);
    excess_[v] -= amount;
    to_sink_[v] -= amount;
    delivered_ += amount;
  }

  // Exact distances to the sink. Nodes that no longer reach it get label far() and take no more
  // part.
  void relabel_all() {
    work_ = 0;
    std::fill(label_.begin(), label_.end(), far());
    std::fill(active_.begin(), active_.end(), kNone);
    std::fill(resting_.begin(), resting_.end(), kNone);
    highest_active_ = kNone;
    highest_ = 0;
    queue_.clear();
    for (Index v = 0; v < n_; ++v)
      if (to_sink_[v] > 0) reach(v, 1);
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      const Index v = queue_[at];
      for (Index a = arcs_.begin[v]; a < arcs_.begin[v + 1]; ++a)
        if (label_[arcs_.head[a]] == far() && arcs_.room[arcs_.reverse[a]] > 0)
          reach(arcs_.head[a], label_[v] + 1);
    }
  }
  void reach(Index v, Index label) {
    label_[v] = label;
    current_[v] = arcs_.begin[v];
    queue_.push_back(v);
    insert(v);
  }

  void insert(Index v) {
    const Index label = label_[v];
    highest_ = std::max(highest_, label);
    if (excess_[v] > 0) {
      next_[v] = active_[label];
      active_[label] = v;
      if (highest_active_ == kNone || highest_active_ < label) highest_active_ = label;
    } else {
      rest(v);
    }
  }
  void rest(Index v) {
    const Index label = label_[v], first = resting_[label];
    next_[v] = first;
    previous_[v] = kNone;
    if (first != kNone) previous_[first] = v;
    resting_[label] = v;
  }
  void wake(Index v) {
    const Index before = previous_[v], after = next_[v];
    if (before == kNone)
      resting_[label_[v]] = after;
    else
      next_[before] = after;
    if (after != kNone) previous_[after] = before;
  }

  // Sends the excess of v, which is in no list, down to nodes one label lower; lifts v as needed.
  void discharge(Index v) {
    while (true) {
      if (label_[v] == 1) push_to_sink(v);
      const Index end = arcs_.begin[v + 1];
      for (Index& a = current_[v]; excess_[v] > 0 && a < end; ++a) {
        const Index w = arcs_.head[a];
        if (arcs_.room[a] == 0 || label_[w] + 1 != label_[v]) continue;
        const Capacity amount = std::min(excess_[v], arcs_.room[a]);
        arcs_.room[a] -= amount;
        arcs_.room[arcs_.reverse[a]] += amount;
        if (excess_[w] == 0) {
          wake(w);
          next_[w] = active_[label_[w]];
          active_[label_[w]] = w;
        }
        excess_[w] += amount;
        excess_[v] -= amount;
        if (excess_[v] == 0) break;  // the arc may have room left: it stays current
      }
      if (excess_[v] == 0) {
        rest(v);
        return;
      }
      if (!lift(v)) return;
    }
  }

  // False when v no longer reaches the sink.
  bool lift(Index v) {
    const Index old = label_[v];
    if (active_[old] == kNone && resting_[old] == kNone) {
      close_gap(old);
      label_[v] = far();
      return false;
    }
    Index best = to_sink_[v] > 0 ? 0 : far();
    Index best_arc = arcs_.begin[v];
    for (Index a = arcs_.begin[v]; a < arcs_.begin[v + 1]; ++a)
      if (arcs_.room[a] > 0 && label_[arcs_.head[a]] < best) {
        best = label_[arcs_.head[a]];
        best_arc = a;
      }
    work_ += 12 + arcs_.begin[v + 1] - arcs_.begin[v];
    if (best + 1 >= far()) {
      label_[v] = far();
      return false;
    }
    label_[v] = best + 1;
    current_[v] = best_arc;
    highest_ = std::max(highest_, label_[v]);
    highest_active_ = std::max(highest_active_, label_[v]);
    return true;
  }

  // No node has this label any more: nothing above it reaches the sink.
  void close_gap(Index label) {
    for (Index above = label + 1; above <= highest_; ++above) {
      for (const Index first : {resting_[above], active_[above]})
        for (Index v = first; v != kNone; v = next_[v]) label_[v] = far();
      resting_[above] = active_[above] = kNone;
    }
    highest_ = label;
    highest_active_ = label;
  }

  Index n_;
  Residual arcs_;
  std::vector<Capacity> excess_, to_sink_;
  std::vector<Index> label_, current_;
  std::vector<Index> next_, previous_;   // lists of nodes of one label: active ones by next_
  std::vector<Index> active_, resting_;  // only, resting ones by both
  std::vector<Index> queue_;
  Index highest_active_ = kNone, highest_ = 0;
  std::size_t work_ = 0;
  Capacity delivered_ = 0;
};

}  // namespace

MinimumCut minimum_cut(const FlowNetwork& network) {
  const Sides side = forced_sides(network);
  MinimumCut cut;
  cut.source_side.resize(network.node_count());
  for (std::size_t v = 0; v < side.size(); ++v) cut.source_side[v] = side[v] == kSource;
  if (std::ranges::find(side, kBoth) != side.end()) {
    cut.value = kInfiniteCapacity;
    return cut;
  }
  const Reduced reduced = reduce(network, side);
  PushRelabel flow(reduced);
  cut.value = reduced.value + flow.run();
  for (std::uint32_t v = 0; v < reduced.name.size(); ++v)
    cut.source_side[reduced.name[v]] = !flow.reaches_sink(v);
  return cut;
}

}  // namespace berth
