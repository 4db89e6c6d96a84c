// piece_execution.h once more: maps, sets and one event at a time.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/naive_simulator.h"

namespace berth::naive {
namespace {

using Piece = std::set<NodeId>;

// Pieces in the order of their numbers, which breaks ties.
std::vector<Piece> numbered(const Pieces& pieces) {
  std::vector<Piece> result(pieces.count());
  for (const NodeId node : pieces.piece_of.ids()) result[pieces.piece_of[node]].insert(node);
  return result;
}

double time_of(const Problem& problem, const Piece& piece, DeviceId device) {
  const Graph& graph = problem.graph();
  double nodes = 0, border = 0;
  bool blocked = false;
  std::set<TensorId> touched;  // tensors that enter or leave
  for (const NodeId node : piece) {
    nodes += problem.time(node, device).count();
    const std::string& type = graph.node(node).op_type;
    blocked |= type.find("Conv") != std::string::npos && type.rfind("Convert", 0) != 0;
    for (const TensorId tensor : graph.inputs(node))
      if (!piece.count(graph.producer(tensor))) touched.insert(tensor);
    for (const TensorId tensor : graph.outputs(node))
      for (const NodeId user : graph.consumers(tensor))
        if (!piece.count(user)) touched.insert(tensor);
  }
  for (const TensorId tensor : touched)
    if (blocked && graph.tensor(tensor).shape.size() >= 4)
      border += static_cast<double>(graph.tensor(tensor).size.count) *
                graph.node(graph.producer(tensor)).frequency;
  const Device& facts = problem.cluster().device(device);
  double time = nodes + facts.piece_overhead.count();
  if (facts.border_bytes_per_second > 0) time += border / facts.border_bytes_per_second * 1e6;
  return time;
}

}  // namespace

double piece_value(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const double contention = problem.as<InPieces>()->contention;
  const bool latency = problem.as<InPieces>()->objective == Objective::kLatency;
  const std::vector<Piece> pieces = numbered(cut_into_pieces(
      problem, placement.device_of.items(), latency ? PieceKind::kEager : PieceKind::kSubgraphs));
  const std::size_t count = pieces.size();
  std::vector<DeviceId> device;
  std::vector<double> time;
  for (const Piece& piece : pieces) {
    device.push_back(placement.device_of[*piece.begin()]);
    time.push_back(time_of(problem, piece, device.back()));
  }
  if (!latency) {
    std::map<DeviceId, double> busy;
    for (std::size_t p = 0; p < count; ++p) busy[device[p]] += time[p];
    // Replicas divide the samples so that all who share a stage are done at once.
    std::map<DeviceId, double> rate;
    for (const Replica& replica : placement.replicas) {
      if (!rate.count(replica.of)) rate[replica.of] = 1 / busy[replica.of];
      double alone = 0;
      for (std::size_t p = 0; p < count; ++p)
        if (device[p] == replica.of) alone += time_of(problem, pieces[p], replica.device);
      rate[replica.of] += 1 / alone;
    }
    for (const Replica& replica : placement.replicas)
      busy[replica.device] = busy[replica.of] = 1 / rate[replica.of];
    double value = 0;
    for (const auto& [d, own] : busy) {
      double load = own;
      for (const auto& [e, other] : busy)
        if (e != d && own > 0) load += contention * other;
      value = std::max(value, load);
    }
    return value;
  }

  // delay[{p, q}]: from the end of p to the arrival at q.
  std::map<std::pair<std::size_t, std::size_t>, double> delay;
  for (std::size_t p = 0; p < count; ++p)
    for (const NodeId node : pieces[p])
      for (const TensorId tensor : graph.outputs(node))
        for (const NodeId user : graph.consumers(tensor))
          for (std::size_t q = 0; q < count; ++q)
            if (q != p && pieces[q].count(user)) {
              double& longest = delay[{p, q}];
              longest = std::max(longest, problem.transfer(tensor, device[p], device[q]).count());
            }
  std::vector<double> rank(count, 0);
  for (std::size_t p = count; p-- > 0;) {
    for (const auto& [edge, d] : delay)
      if (edge.first == p) rank[p] = std::max(rank[p], d + rank[edge.second]);
    rank[p] += time[p];
  }
  for (std::size_t i = placement.order.size(); i-- > 0;)
    for (std::size_t p = 0; p < count; ++p)
      if (pieces[p].count(placement.order[i])) rank[p] = -static_cast<double>(i);

  std::map<std::size_t, double> start, end;  // of pieces begun, and of pieces over
  std::map<DeviceId, std::size_t> running;
  std::map<DeviceId, double> left, until;  // work of what runs, and when it ends
  double now = 0;
  const auto arrival = [&](std::size_t q) -> std::optional<double> {
    double latest = 0;
    for (const auto& [edge, d] : delay) {
      if (edge.second != q) continue;
      if (!end.count(edge.first)) return std::nullopt;
      latest = std::max(latest, end.at(edge.first) + d);
    }
    return latest;
  };
  while (end.size() < count) {
    // (time, 0 for completion and 1 for start, device)
    std::set<std::tuple<double, int, DeviceId>> events;
    for (const auto& [d, p] : running) events.insert({until.at(d), 0, d});
    for (std::size_t p = 0; p < count; ++p)
      if (!start.count(p) && !running.count(device[p]))
        if (const auto at = arrival(p)) events.insert({std::max(*at, now), 1, device[p]});
    const auto [at, kind, d] = *events.begin();
    const auto slowness = [&] {
      return 1 + contention * std::max(0.0, static_cast<double>(running.size()) - 1);
    };
    for (const auto& [other, p] : running) left[other] -= (at - now) / slowness();
    now = at;
    if (kind == 0) {
      end[running.at(d)] = now;
      running.erase(d);
    } else {
      std::size_t best = count;
      for (std::size_t p = 0; p < count; ++p)
        if (!start.count(p) && device[p] == d && arrival(p) && *arrival(p) <= now &&
            (best == count || rank[p] > rank[best]))
          best = p;
      start[best] = now;
      running[d] = best;
      left[d] = time[best];
      until[d] = now + time[best];
    }
    if (contention > 0)
      for (const auto& [other, p] : running)
        until[other] = now + std::max(0.0, left[other]) * slowness();
  }
  double last = 0;
  for (const auto& [p, at] : end) last = std::max(last, at);
  return last;
}

}  // namespace berth::naive
