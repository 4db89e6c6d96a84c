#include "tests/support/naive_simulator.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "berth/transform/ranks.h"

namespace berth::naive {
namespace {

using Crossing = std::pair<TensorId, DeviceId>;  // a tensor and a device that receives it

DeviceId device_at(std::span<const DeviceId> device_of, NodeId node) {
  return device_of[index(node)];
}

// Once per (tensor, receiving device).
std::set<Crossing> crossings(const Problem& problem, std::span<const DeviceId> device_of) {
  std::set<Crossing> result;
  const Graph& graph = problem.graph();
  for (const TensorId tensor : graph.tensors())
    for (const NodeId user : graph.consumers(tensor))
      if (device_at(device_of, user) != device_at(device_of, graph.producer(tensor)))
        result.insert({tensor, device_at(device_of, user)});
  return result;
}

// ---- concurrent.h ----

class ConcurrentRun {
 public:
  ConcurrentRun(const Problem& problem, const Placement& placement)
      : problem_(problem), graph_(problem.graph()), placement_(placement) {
    const std::vector<NodeId> sequence =
        placement.order.empty() ? priority_order(problem) : placement.order;
    for (const NodeId node : sequence) waiting_[device_of(node)].push_back(node);
  }

  Schedule run() {
    while (complete_one() || start_one() || advance()) {
    }
    std::stable_sort(schedule_.runs.begin(), schedule_.runs.end(), [](const Run& a, const Run& b) {
      return std::pair(a.start, index(a.device)) < std::pair(b.start, index(b.device));
    });
    std::stable_sort(schedule_.moves.begin(), schedule_.moves.end(),
                     [](const Move& a, const Move& b) { return a.start < b.start; });
    return schedule_;
  }

 private:
  DeviceId device_of(NodeId node) const { return placement_.device_of[node]; }

  // One completion at this moment: a transfer, or the node on the lowest device.
  bool complete_one() {
    for (auto move = moving_.begin(); move != moving_.end(); ++move) {
      if (move->finish != now_) continue;
      present_.insert({move->tensor, move->to});
      moving_.erase(move);
      return true;
    }
    for (auto run = running_.begin(); run != running_.end(); ++run) {
      if (run->second.finish != now_) continue;
      const NodeId node = run->second.node;
      last_to_complete_ = run->first;
      running_.erase(run);
      finish(node);
      return true;
    }
    return false;
  }

  void finish(NodeId node) {
    const DeviceId here = device_of(node);
    schedule_.makespan = std::max(schedule_.makespan, now_);
    for (const TensorId tensor : graph_.outputs(node)) {
      present_.insert({tensor, here});
      std::set<DeviceId> asked{here};
      for (const NodeId user : graph_.consumers(tensor))
        if (asked.insert(device_of(user)).second) request(tensor, here, device_of(user));
    }
  }

  void request(TensorId tensor, DeviceId from, DeviceId to) {
    const std::vector<ChannelId>& channels = problem_.cluster().link(from, to).channels;
    Duration start = now_;
    for (const ChannelId channel : channels) start = std::max(start, free_from_[channel]);
    const Duration end = start + problem_.transfer(tensor, from, to);
    for (const ChannelId channel : channels) free_from_[channel] = end;
    const Move move{tensor, from, to, start, end};
    moving_.push_back(move);
    schedule_.moves.push_back(move);
  }

  bool is_ready(NodeId node) const {
    const auto inputs = graph_.inputs(node);
    return std::all_of(inputs.begin(), inputs.end(), [&](TensorId tensor) {
      return present_.count({tensor, device_of(node)}) > 0;
    });
  }

  // Of the idle devices that can start something, the last one to complete or else the one of
  // lowest id does.
  bool start_one() {
    if (last_to_complete_ && start_on(*last_to_complete_)) return true;
    for (const DeviceId device : problem_.devices())
      if (start_on(device)) return true;
    return false;
  }

  bool start_on(DeviceId device) {
    if (running_.count(device) > 0) return false;
    std::vector<NodeId>& waiting = waiting_[device];
    auto chosen =
        std::find_if(waiting.begin(), waiting.end(), [&](NodeId node) { return is_ready(node); });
    if (chosen == waiting.end()) return false;
    const bool strict = !placement_.order.empty();
    if (strict && chosen != waiting.begin()) return false;
    const Run run{*chosen, device, now_, now_ + problem_.time(*chosen, device)};
    waiting.erase(chosen);
    running_.insert({device, run});
    schedule_.runs.push_back(run);
    return true;
  }

  bool advance() {
    std::optional<Duration> next;
    for (const auto& [device, run] : running_)
      next = next ? std::min(*next, run.finish) : run.finish;
    for (const Move& move : moving_) next = next ? std::min(*next, move.finish) : move.finish;
    if (!next) return false;
    now_ = *next;
    return true;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Placement& placement_;
  Duration now_{0};
  std::map<DeviceId, std::vector<NodeId>> waiting_;  // in priority order, or in the given order
  std::map<DeviceId, Run> running_;
  std::optional<DeviceId> last_to_complete_;
  std::vector<Move> moving_;
  std::map<ChannelId, Duration> free_from_;
  std::set<Crossing> present_;
  Schedule schedule_;
};

// ---- pieces.h ----

using Sets = std::set<std::set<NodeId>>;

// The nodes with equal keys.
template <class Key>
Sets sets_of(const std::map<NodeId, Key>& keys) {
  std::map<Key, std::set<NodeId>> by_key;
  for (const auto& [node, key] : keys) by_key[key].insert(node);
  Sets sets;
  for (const auto& [key, nodes] : by_key) sets.insert(nodes);
  return sets;
}

// (device, piece(v)); with calls a CPU node has a key of its own.
std::map<NodeId, std::pair<int, int>> convex_numbers(const Problem& problem,
                                                     std::span<const DeviceId> device_of,
                                                     PieceKind kind) {
  const Graph& graph = problem.graph();
  std::map<NodeId, std::pair<int, int>> keys;
  std::map<NodeId, std::map<DeviceId, int>> most;  // M_d(v)
  for (const NodeId v : graph.topological_order()) {
    const DeviceId d = device_at(device_of, v);
    int number = 1;
    for (const NodeId u : graph.predecessors(v)) {
      for (const auto& [device, m] : most[u]) most[v][device] = std::max(most[v][device], m);
      const int m = most[u].count(d) ? most[u][d] : 0;
      number = std::max(number, m + (device_at(device_of, u) != d && m > 0 ? 1 : 0));
    }
    most[v][d] = std::max(most[v][d], number);
    const bool alone = kind == PieceKind::kCalls && problem.cluster().device(d).is_host();
    keys[v] = alone ? std::pair(-1, static_cast<int>(v)) : std::pair(static_cast<int>(d), number);
  }
  return keys;
}

std::map<NodeId, int> levels(const Graph& graph, std::span<const DeviceId> device_of) {
  std::map<NodeId, int> level;
  for (const NodeId v : graph.topological_order()) {
    level[v] = 0;
    for (const NodeId u : graph.predecessors(v))
      level[v] = std::max(level[v],
                          level[u] + (device_at(device_of, u) != device_at(device_of, v) ? 1 : 0));
  }
  return level;
}

// Which sets lie on a cycle of the quotient: they reach themselves through another one.
Sets on_cycles(const Graph& graph, const Sets& sets) {
  std::map<NodeId, std::set<NodeId>> set_of;
  for (const std::set<NodeId>& set : sets)
    for (const NodeId node : set) set_of[node] = set;
  std::map<std::set<NodeId>, Sets> reaches;
  for (const auto& [v, from] : set_of)
    for (const NodeId w : graph.successors(v))
      if (set_of[w] != from) reaches[from].insert(set_of[w]);
  for (const std::set<NodeId>& via : sets)
    for (const std::set<NodeId>& from : sets)
      if (reaches[from].count(via))
        for (const std::set<NodeId>& to : Sets(reaches[via])) reaches[from].insert(to);
  Sets result;
  for (const std::set<NodeId>& set : sets)
    if (reaches[set].count(set)) result.insert(set);
  return result;
}

// The parts of each set that edges inside the set connect.
Sets connected_parts(const Graph& graph, const Sets& sets) {
  Sets parts;
  for (std::set<NodeId> left : sets)
    while (!left.empty()) {
      std::set<NodeId> part;
      const std::function<void(NodeId)> grow = [&](NodeId v) {
        if (left.erase(v) == 0) return;
        part.insert(v);
        for (const NodeId w : graph.successors(v)) grow(w);
        for (const NodeId u : graph.predecessors(v)) grow(u);
      };
      grow(*left.begin());
      parts.insert(part);
    }
  return parts;
}

}  // namespace

Schedule concurrent_schedule(const Problem& problem, const Placement& placement) {
  return ConcurrentRun(problem, placement).run();
}

std::set<std::set<NodeId>> pieces(const Problem& problem, std::span<const DeviceId> device_of,
                                  PieceKind kind) {
  const Graph& graph = problem.graph();
  Sets parts = sets_of(convex_numbers(problem, device_of, kind));
  if (kind == PieceKind::kSubgraphs) parts = connected_parts(graph, parts);
  const Sets cyclic = on_cycles(graph, parts);
  if (cyclic.empty()) return parts;
  const std::map<NodeId, int> level = levels(graph, device_of);
  Sets split;
  for (const std::set<NodeId>& part : parts) {
    std::map<NodeId, int> key;
    for (const NodeId node : part) key[node] = cyclic.count(part) ? level.at(node) : 0;
    split.merge(sets_of(key));
  }
  return kind == PieceKind::kSubgraphs ? connected_parts(graph, split) : split;
}

std::set<std::set<NodeId>> as_sets(const Pieces& pieces) {
  std::map<std::uint32_t, std::set<NodeId>> by_number;
  for (const NodeId node : pieces.piece_of.ids()) by_number[pieces.piece_of[node]].insert(node);
  std::set<std::set<NodeId>> result;
  for (const auto& [number, nodes] : by_number) result.insert(nodes);
  return result;
}

namespace {

// Names of what holds each node: its device, or its server.
bool flows_one_way(const Problem& problem, const std::map<NodeId, std::string>& holder) {
  const Graph& graph = problem.graph();
  std::set<UnitId> with_forward;
  std::set<std::string> holders;
  for (const NodeId u : graph.nodes()) {
    holders.insert(holder.at(u));
    if (graph.node(u).pass == Pass::kForward) with_forward.insert(problem.unit_of(u));
  }
  std::set<std::pair<std::string, std::string>> feeds;
  for (const NodeId u : graph.nodes())
    for (const NodeId v : graph.successors(u)) {
      const std::string on_u = holder.at(u), on_v = holder.at(v);
      if (on_u == on_v || graph.node(u).pass != graph.node(v).pass) continue;
      if (graph.node(u).pass == Pass::kForward)
        feeds.insert({on_u, on_v});
      else if (!with_forward.count(problem.unit_of(u)) || !with_forward.count(problem.unit_of(v)))
        feeds.insert({on_v, on_u});
    }
  for (const std::string& via : holders)
    for (const std::string& from : holders)
      for (const std::string& to : holders)
        if (feeds.count({from, via}) && feeds.count({via, to})) feeds.insert({from, to});
  for (const std::string& one : holders)
    if (feeds.count({one, one})) return false;
  return true;
}

}  // namespace

bool forms_pipeline(const Problem& problem, std::span<const DeviceId> device_of) {
  std::map<NodeId, std::string> device, server;
  for (const NodeId node : problem.graph().nodes()) {
    const Device& facts = problem.cluster().device(device_at(device_of, node));
    device[node] = facts.name;
    server[node] = facts.server;
  }
  return flows_one_way(problem, device) &&
         (!problem.counts_network() || flows_one_way(problem, server));
}

double sequential_value(const Problem& problem, std::span<const DeviceId> device_of) {
  double sum = 0;
  for (const NodeId node : problem.graph().nodes())
    sum += problem.time(node, device_at(device_of, node)).count();
  for (const auto& [tensor, to] : crossings(problem, device_of))
    sum += problem.transfer(tensor, device_at(device_of, problem.graph().producer(tensor)), to)
               .count();
  const std::size_t subgraphs = pieces(problem, device_of, PieceKind::kSubgraphs).size();
  return sum +
         problem.as<Sequential>()->subgraph_overhead.count() * static_cast<double>(subgraphs - 1);
}

namespace {

struct Sums {
  double compute = 0, in = 0, out = 0, sync = 0;
};
// Both passes in one sum, unless GPipe keeps them apart.
struct LoadSums {
  std::map<Pass, std::map<DeviceId, Sums>> devices;
  std::map<Pass, std::map<ChannelId, double>> traffic;
  std::map<Pass, std::map<std::string, Sums>> wires;
};

LoadSums load_sums(const Problem& problem, std::span<const DeviceId> device_of) {
  const MaxLoad& model = *problem.as<MaxLoad>();
  const Graph& graph = problem.graph();
  LoadSums result;
  const auto pass_of = [&](NodeId node) {
    return model.training == TrainingSchedule::kGPipe ? graph.node(node).pass : Pass::kForward;
  };
  for (const NodeId node : graph.nodes()) {
    const DeviceId d = device_at(device_of, node);
    result.devices[pass_of(node)][d].compute += problem.time(node, d).count();
  }
  std::set<TensorId> written, sent;
  std::set<std::pair<TensorId, std::string>> received;
  for (const auto& [tensor, to] : crossings(problem, device_of)) {
    const NodeId producer = graph.producer(tensor);
    const DeviceId from = device_at(device_of, producer);
    const Pass pass = pass_of(producer);
    auto& sums = result.devices[pass];
    if (model.route == Route::kHost) {
      sums[to].in += problem.read_from_host(tensor, to).count();
      if (written.insert(tensor).second)
        sums[from].out += problem.write_to_host(tensor, from).count();
      const std::string there = problem.cluster().device(to).server;
      const std::string here = problem.cluster().device(from).server;
      if (!problem.counts_network() || there == here) continue;
      const double time = problem.over_network(tensor).count();
      if (received.insert({tensor, there}).second) result.wires[pass][there].in += time;
      if (sent.insert(tensor).second) result.wires[pass][here].out += time;
      continue;
    }
    const double time = problem.transfer(tensor, from, to).count();
    sums[from].out += time;
    sums[to].in += time;
    for (const ChannelId channel : problem.cluster().link(from, to).channels)
      result.traffic[pass][channel] += time;
  }
  return result;
}

double largest_load(const MaxLoad& model, LoadSums sums) {
  double value = 0;
  for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
    double busiest = 0;
    for (const auto& [device, sum] : sums.devices[pass]) {
      double load = sum.compute + sum.in + sum.out;
      if (model.overlap == Overlap::kMax) load = std::max(sum.compute, sum.in + sum.out);
      if (model.overlap == Overlap::kDuplex) load = std::max({sum.compute, sum.in, sum.out});
      busiest = std::max(busiest, load + sum.sync);
    }
    for (const auto& [channel, time] : sums.traffic[pass]) busiest = std::max(busiest, time);
    for (const auto& [server, wire] : sums.wires[pass])
      busiest = std::max(busiest, model.overlap == Overlap::kDuplex ? std::max(wire.in, wire.out)
                                                                    : wire.in + wire.out);
    value += busiest;
  }
  return value;
}

}  // namespace

double load_value(const Problem& problem, std::span<const DeviceId> device_of) {
  return largest_load(*problem.as<MaxLoad>(), load_sums(problem, device_of));
}

double replicated_value(const Problem& problem, const Placement& placement) {
  const MaxLoad& model = *problem.as<MaxLoad>();
  LoadSums sums = load_sums(problem, placement.device_of.items());
  std::map<DeviceId, std::vector<DeviceId>> stages;  // by the device that has the nodes
  for (const Replica& replica : placement.replicas) {
    if (stages[replica.of].empty()) stages[replica.of].push_back(replica.of);
    stages[replica.of].push_back(replica.device);
  }
  const Pass sync_pass = model.training == TrainingSchedule::kGPipe && problem.is_training()
                             ? Pass::kBackward
                             : Pass::kForward;
  for (const auto& [stage, devices] : stages) {
    const double r = static_cast<double>(devices.size());
    double weights = 0;
    for (const NodeId node : problem.graph().nodes())
      if (placement.device_of[node] == stage)
        weights += static_cast<double>(problem.graph().node(node).weights.count);
    for (const DeviceId device : devices) {
      std::vector<DeviceId> moved = placement.device_of.items();
      for (DeviceId& at : moved)
        if (at == stage) at = device;
      LoadSums alone = load_sums(problem, moved);
      for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
        const Sums& own = alone.devices[pass][device];
        sums.devices[pass][device] = {own.compute / r, own.in / r, own.out / r, 0};
      }
      if (problem.is_training() && model.sync_bytes_per_second > 0)
        sums.devices[sync_pass][device].sync =
            2 * (r - 1) / r * weights / model.sync_bytes_per_second * 1e6;
    }
  }
  return largest_load(model, sums);
}

double call_latency(const Problem& problem, std::span<const DeviceId> device_of,
                    const Pieces& calls) {
  const Graph& graph = problem.graph();
  const auto is_host = [&](NodeId node) {
    return problem.cluster().device(device_at(device_of, node)).is_host();
  };
  std::map<std::uint32_t, std::set<NodeId>> call;  // accelerators only, in the order they run
  for (const NodeId node : graph.nodes())
    if (!is_host(node)) call[calls.piece_of[node]].insert(node);

  std::map<NodeId, double> ready;
  std::map<DeviceId, double> free_from;
  std::set<std::uint32_t> finished;
  const auto is_next_of_its_device = [&](std::uint32_t number, DeviceId device) {
    for (const auto& [other, nodes] : call)
      if (other < number && !finished.count(other) && calls.device[other] == device) return false;
    return true;
  };
  const auto run_call = [&](std::uint32_t number, const std::set<NodeId>& inside) {
    const DeviceId device = calls.device[number];
    if (finished.count(number) || !is_next_of_its_device(number, device)) return false;
    double start = free_from[device], load = 0;
    std::set<TensorId> read, written;
    for (const NodeId node : inside) {
      load += problem.time(node, device).count();
      for (const TensorId tensor : graph.inputs(node)) {
        const NodeId producer = graph.producer(tensor);
        if (inside.count(producer)) continue;
        if (!ready.count(producer)) return false;
        start = std::max(start, ready[producer]);
        read.insert(tensor);
      }
      for (const TensorId tensor : graph.outputs(node))
        for (const NodeId user : graph.consumers(tensor))
          if (!inside.count(user)) written.insert(tensor);
    }
    for (const TensorId tensor : read) load += problem.read_from_host(tensor, device).count();
    for (const TensorId tensor : written) load += problem.write_to_host(tensor, device).count();
    for (const NodeId node : inside) ready[node] = start + load;
    free_from[device] = start + load;
    finished.insert(number);
    return true;
  };
  const auto run_host_node = [&](NodeId node) {
    if (!is_host(node) || ready.count(node)) return false;
    double start = 0;
    for (const NodeId before : graph.predecessors(node)) {
      if (!ready.count(before)) return false;
      start = std::max(start, ready[before]);
    }
    ready[node] = start + problem.time(node, device_at(device_of, node)).count();
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const NodeId node : graph.nodes()) progress |= run_host_node(node);
    for (const auto& [number, inside] : call) progress |= run_call(number, inside);
  }
  if (ready.size() != graph.node_count()) return -1;  // calls wait for each other: never right
  double last = 0;
  for (const auto& [node, time] : ready) last = std::max(last, time);
  return last;
}

bool is_call(const Problem& problem) {
  const MaxLoad* load = problem.as<MaxLoad>();
  return problem.as<CallLatency>() || (load && load->route == Route::kHost);
}

double value(const Problem& problem, const Placement& placement) {
  const std::span<const DeviceId> device_of = placement.device_of.items();
  if (problem.as<Concurrent>()) return concurrent_schedule(problem, placement).makespan.count();
  if (problem.as<Sequential>()) return sequential_value(problem, device_of);
  if (problem.as<InPieces>()) return piece_value(problem, placement);
  if (problem.as<MaxLoad>())
    return is_call(problem) && !placement.replicas.empty() ? replicated_value(problem, placement)
                                                           : load_value(problem, device_of);
  return call_latency(problem, device_of, cut_into_pieces(problem, device_of, PieceKind::kCalls));
}

}  // namespace berth::naive
