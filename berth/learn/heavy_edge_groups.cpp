#include "berth/learn/heavy_edge_groups.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "berth/graph/order.h"
#include "berth/graph/union_find.h"

namespace berth {
namespace {

constexpr std::size_t kMostSteps = 200;  // edges looked at in one search for another path

enum class Sharing { kAll, kSome };  // of the devices that two groups may use

// The groups so far, and what decides whether two may be one. A group goes by the name of one of
// its sets.
class Joining {
 public:
  Joining(const Problem& problem, const PolicyGraph& graph, std::size_t most)
      : devices_(graph.device_count),
        most_(most),
        count_(graph.size()),
        sets_(graph.size()),
        allowed_(graph.allowed),
        is_alone_(graph.size(), 0),
        micros_(graph.size(), 0.0) {
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      std::optional<double> least;
      for (std::size_t d = 0; d < devices_; ++d)
        if (graph.may_use(set, d))
          least = std::min(least.value_or(kForever.count()), graph.micros[set * devices_ + d]);
      micros_[set] = least.value_or(0);
    }
    limit_ = 2 * std::accumulate(micros_.begin(), micros_.end(), 0.0) / static_cast<double>(most);
    for (const std::vector<UnitId>& apart : problem.apart())
      for (const UnitId unit : apart) is_alone_[graph.set_of[problem.members(unit).front()]] = 1;
  }

  bool is_done() const { return count_ <= most_; }
  double time_of_both(std::uint32_t a, std::uint32_t b) const { return micros_[a] + micros_[b]; }
  bool allows(std::uint32_t a, std::uint32_t b, Sharing sharing) const {
    if (is_alone_[a] != 0 || is_alone_[b] != 0 || time_of_both(a, b) > limit_) return false;
    bool all = true, some = false;
    for (std::size_t d = 0; d < devices_; ++d) {
      const bool by_a = allowed_[a * devices_ + d] != 0, by_b = allowed_[b * devices_ + d] != 0;
      all = all && by_a == by_b;
      some = some || (by_a && by_b);
    }
    return some && (all || sharing == Sharing::kSome);
  }
  void join(std::uint32_t name, std::uint32_t other) {
    sets_.join(name, other);
    --count_;
    micros_[name] += micros_[other];
    for (std::size_t d = 0; d < devices_; ++d)
      allowed_[name * devices_ + d] &= allowed_[other * devices_ + d];
  }

  Groups groups() {
    Groups result;
    result.group_of.resize(micros_.size());
    for (std::uint32_t set = 0; set < micros_.size(); ++set) {
      const std::uint32_t first = sets_.find(set);
      result.group_of[set] = first == set ? result.count++ : result.group_of[first];
    }
    return result;
  }

 private:
  std::size_t devices_, most_, count_;
  UnionFind sets_;
  std::vector<std::uint8_t> allowed_, is_alone_;
  std::vector<double> micros_;
  double limit_ = 0;
};

// A place for each set, rising along every edge but those of cycles, which co-location may close.
std::vector<std::uint32_t> places_along(const PolicyGraph& graph) {
  const std::vector<std::uint32_t> component = strongly_connected_components(graph.successors);
  std::vector<std::uint32_t> order(graph.size()), place(graph.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return component[a] > component[b];  // components are numbered from the last one on
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

// The graph between groups while edges are contracted, and an order along its edges.
class GroupGraph {
 public:
  explicit GroupGraph(const PolicyGraph& graph)
      : name_(graph.size()),
        bytes_(graph.size()),
        after_(graph.size()),
        before_(graph.size()),
        place_(places_along(graph)),
        seen_in_(graph.size(), 0) {
    std::iota(name_.begin(), name_.end(), 0U);
    for (const PolicyGraph::Edge& edge : graph.edges) {
      bytes_[edge.from][edge.to] += edge.bytes;
      bytes_[edge.to][edge.from] += edge.bytes;
      if (place_[edge.from] > place_[edge.to]) continue;  // of a cycle that there is already
      after_[edge.from].push_back(edge.to);
      before_[edge.to].push_back(edge.from);
    }
  }

  std::uint32_t place(std::uint32_t group) const { return place_[group]; }
  // To and from each neighbour.
  const std::map<std::uint32_t, double>& bytes(std::uint32_t group) const { return bytes_[group]; }

  struct Contracted {
    std::uint32_t name, other;              // of both; of the one that is no more
    std::vector<std::uint32_t> neighbours;  // to which the bytes have changed
  };
  // Nothing where another path would become a cycle.
  std::optional<Contracted> contract(std::uint32_t a, std::uint32_t b) {
    if (place_[a] > place_[b]) std::swap(a, b);
    if (!make_adjacent(a, b)) return std::nullopt;
    // The smaller list of neighbours moves to the larger, so an edge moves O(log V) times.
    if (bytes_[a].size() < bytes_[b].size()) std::swap(a, b);
    Contracted result{.name = a, .other = b, .neighbours = {}};
    name_[b] = a;
    bytes_[a].erase(b);
    for (const auto& [neighbour, bytes] : bytes_[b]) {
      bytes_[neighbour].erase(b);
      if (neighbour == a) continue;
      bytes_[neighbour][a] = bytes_[a][neighbour] += bytes;
      result.neighbours.push_back(neighbour);
    }
    bytes_[b] = {};
    for (Adjacency* edges : {&after_, &before_}) {
      (*edges)[a].insert((*edges)[a].end(), (*edges)[b].begin(), (*edges)[b].end());
      (*edges)[b] = {};
    }
    return result;
  }

 private:
  std::uint32_t name_of(std::uint32_t set) {
    while (name_[set] != set) set = name_[set] = name_[name_[set]];
    return set;
  }

  // Edges keep the names that groups had once; before these are too many they are told anew.
  const std::vector<std::uint32_t>& edges_of(Adjacency& edges, std::uint32_t group) {
    std::vector<std::uint32_t>& list = edges[group];
    if (list.size() <= 2 * bytes_[group].size() + 4) return list;
    for (std::uint32_t& other : list) other = name_of(other);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  // Whether no edge leads elsewhere.
  bool leads_only_to(Adjacency& edges, std::uint32_t from, std::uint32_t to) {
    for (const std::uint32_t once : edges_of(edges, from)) {
      const std::uint32_t next = name_of(once);
      if (next != to && next != from) return false;
    }
    return true;
  }

  // `from` and what it reaches on this side of `to`, in order; nothing when it reaches `to` by way
  // of others, or after too many steps.
  std::optional<std::vector<std::uint32_t>> reached(Adjacency& edges, std::uint32_t from,
                                                    std::uint32_t to) {
    const auto [low, high] = std::minmax(place_[from], place_[to]);
    std::vector<std::uint32_t> found{from};
    std::size_t steps = 0;
    ++search_;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const std::uint32_t once : edges_of(edges, found[i])) {
        const std::uint32_t next = name_of(once);
        if (++steps > kMostSteps || (next == to && i > 0)) return std::nullopt;
        if (place_[next] > low && place_[next] < high &&
            std::exchange(seen_in_[next], search_) != search_)
          found.push_back(next);
      }
    std::sort(found.begin(), found.end(),
              [&](std::uint32_t x, std::uint32_t y) { return place_[x] < place_[y]; });
    return found;
  }

  // Gives a, the earlier, and b places that one group may have; false when a path from a to b by
  // way of others forbids it. What leads to b comes before both, what a leads to after both, in the
  // places that all these have now.
  bool make_adjacent(std::uint32_t a, std::uint32_t b) {
    if (leads_only_to(before_, b, a)) {
      place_[b] = place_[a];
      return true;
    }
    if (leads_only_to(after_, a, b)) {
      place_[a] = place_[b];
      return true;
    }
    const auto behind = reached(after_, a, b);
    if (!behind) return false;
    const auto ahead = reached(before_, b, a);
    if (!ahead) return false;
    std::vector<std::uint32_t> order(*ahead), places;
    order.insert(order.end(), behind->begin(), behind->end());
    for (const std::uint32_t group : order) places.push_back(place_[group]);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = places[i];
    return true;
  }

  std::vector<std::uint32_t> name_;  // of the group that a set or a group has become part of
  std::vector<std::map<std::uint32_t, double>> bytes_;
  Adjacency after_, before_;  // along the edges that rise
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> seen_in_;  // the last search that came by
  std::uint32_t search_ = 0;
};

struct HeavyEdge {
  double bytes;
  std::uint32_t a, b;                                              // a < b
  friend bool operator<(const HeavyEdge& x, const HeavyEdge& y) {  // ties: small names first
    return std::tie(x.bytes, y.a, y.b) < std::tie(y.bytes, x.a, x.b);
  }
};

// An edge that would close a cycle may be contracted once the other paths are gone. The last of
// them has then become parallel to it: its bytes have changed, and it is tried again. The names of
// groups that are left, by place.
std::vector<std::uint32_t> contract_edges(const PolicyGraph& graph, Joining& joining) {
  GroupGraph groups(graph);
  std::priority_queue<HeavyEdge> heaviest;
  const auto push = [&](std::uint32_t a, std::uint32_t b) {
    heaviest.push({groups.bytes(a).at(b), std::min(a, b), std::max(a, b)});
  };
  for (const PolicyGraph::Edge& edge : graph.edges) push(edge.from, edge.to);
  std::vector<std::uint8_t> is_left(graph.size(), 1);
  while (!joining.is_done() && !heaviest.empty()) {
    const auto [bytes, a, b] = heaviest.top();
    heaviest.pop();
    const auto known = groups.bytes(a).find(b);
    if (known == groups.bytes(a).end() || known->second != bytes) continue;
    if (!joining.allows(a, b, Sharing::kAll)) continue;
    const auto contracted = groups.contract(a, b);
    if (!contracted) continue;
    joining.join(contracted->name, contracted->other);
    is_left[contracted->other] = 0;
    for (const std::uint32_t neighbour : contracted->neighbours) push(contracted->name, neighbour);
  }
  std::vector<std::uint32_t> names;
  for (std::uint32_t set = 0; set < graph.size(); ++set)
    if (is_left[set] != 0) names.push_back(set);
  std::sort(names.begin(), names.end(),
            [&](std::uint32_t x, std::uint32_t y) { return groups.place(x) < groups.place(y); });
  return names;
}

// Neighbours in a topological order have no path between them but an edge. Returns the names that
// are left.
std::vector<std::uint32_t> join_neighbours(const std::vector<std::uint32_t>& names,
                                           Joining& joining, Sharing sharing) {
  const std::uint32_t end = static_cast<std::uint32_t>(names.size());
  std::vector<std::uint32_t> next(names.size()), previous(names.size());
  for (std::uint32_t i = 0; i < end; ++i) {
    next[i] = i + 1;
    previous[i] = i == 0 ? end : i - 1;
  }
  struct Pair {
    double micros;
    std::uint32_t left, right;
    bool operator>(const Pair& other) const {
      return std::tie(micros, left, right) > std::tie(other.micros, other.left, other.right);
    }
  };
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> shortest;
  const auto push = [&](std::uint32_t left) {
    if (left == end || next[left] == end) return;
    shortest.push({joining.time_of_both(names[left], names[next[left]]), left, next[left]});
  };
  std::vector<std::uint8_t> is_left(names.size(), 1);
  for (std::uint32_t i = 0; i < end; ++i) push(i);
  while (!joining.is_done() && !shortest.empty()) {
    const auto [micros, left, right] = shortest.top();
    shortest.pop();
    if (is_left[left] == 0 || next[left] != right) continue;
    if (joining.time_of_both(names[left], names[right]) != micros) continue;
    if (!joining.allows(names[left], names[right], sharing)) continue;
    joining.join(names[left], names[right]);
    is_left[right] = 0;
    next[left] = next[right];
    if (next[left] != end) previous[next[left]] = left;
    push(left);
    push(previous[left]);
  }
  std::vector<std::uint32_t> rest;
  for (std::uint32_t i = 0; i < end; ++i)
    if (is_left[i] != 0) rest.push_back(names[i]);
  return rest;
}

}  // namespace

Groups heavy_edge_groups(const Problem& problem, const PolicyGraph& graph, std::size_t most) {
  assert(most > 0);
  Joining joining(problem, graph, most);
  if (!joining.is_done()) {
    std::vector<std::uint32_t> names = contract_edges(graph, joining);
    names = join_neighbours(names, joining, Sharing::kAll);
    join_neighbours(names, joining, Sharing::kSome);
  }
  return joining.groups();
}

}  // namespace berth
