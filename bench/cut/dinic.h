// Competitor: Dinic's algorithm, shortest augmenting paths in phases, on the same FlowNetwork.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/graph/max_flow.h"

namespace berth::bench {

class Dinic {
 public:
  // Infinite capacities become more than all finite ones together.
  explicit Dinic(const FlowNetwork& network) : n_(network.node_count()), begin_(n_ + 3, 0) {
    const auto source = static_cast<std::uint32_t>(n_), sink = source + 1;
    std::vector<FlowNetwork::Arc> arcs = network.arcs;
    for (std::uint32_t v = 0; v < n_; ++v) {
      const Capacity in = network.from_source[v], out = network.to_sink[v];
      if (in != 0) arcs.push_back({source, v, in, 0});
      if (out != 0) arcs.push_back({v, sink, out, 0});
    }
    Capacity total = 1;
    for (const auto& arc : arcs)
      for (const Capacity c : {arc.capacity, arc.back}) total += c == kInfiniteCapacity ? 0 : c;
    for (const auto& arc : arcs) {
      ++begin_[arc.from + 1];
      ++begin_[arc.to + 1];
    }
    for (std::size_t v = 0; v < n_ + 2; ++v) begin_[v + 1] += begin_[v];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    head_.resize(2 * arcs.size());
    reverse_.resize(2 * arcs.size());
    room_.resize(2 * arcs.size());
    for (const auto& arc : arcs) {
      const std::uint32_t there = next[arc.from]++, back = next[arc.to]++;
      head_[there] = arc.to;
      head_[back] = arc.from;
      reverse_[there] = back;
      reverse_[back] = there;
      room_[there] = std::min(arc.capacity, total);
      room_[back] = std::min(arc.back, total);
    }
  }

  Capacity run() {
    const auto source = static_cast<std::uint32_t>(n_), sink = source + 1;
    Capacity value = 0;
    while (label(source, sink)) {
      current_.assign(begin_.begin(), begin_.end() - 1);
      value += block(source, sink);
      ++phases;
    }
    return value;
  }
  std::size_t phases = 0;

 private:
  bool label(std::uint32_t source, std::uint32_t sink) {
    level_.assign(n_ + 2, 0);
    queue_.assign(1, source);
    level_[source] = 1;
    for (std::size_t at = 0; at < queue_.size() && level_[sink] == 0; ++at) {
      const std::uint32_t v = queue_[at];
      for (std::uint32_t a = begin_[v]; a < begin_[v + 1]; ++a)
        if (room_[a] > 0 && level_[head_[a]] == 0) {
          level_[head_[a]] = level_[v] + 1;
          queue_.push_back(head_[a]);
        }
    }
    return level_[sink] != 0;
  }
  // Blocking flow along arcs that climb one level; iterative, since paths may be very long.
  Capacity block(std::uint32_t source, std::uint32_t sink) {
    Capacity value = 0;
    path_.clear();
    std::uint32_t v = source;
    while (true) {
      if (v == sink) {
        Capacity amount = kInfiniteCapacity;
        for (const std::uint32_t a : path_) amount = std::min(amount, room_[a]);
        std::size_t keep = path_.size();
        for (std::size_t i = path_.size(); i-- > 0;) {
          room_[path_[i]] -= amount;
          room_[reverse_[path_[i]]] += amount;
          if (room_[path_[i]] == 0) keep = i;
        }
        value += amount;
        v = head_[reverse_[path_[keep]]];
        path_.resize(keep);
        continue;
      }
      std::uint32_t& a = current_[v];
      while (a < begin_[v + 1] && (room_[a] == 0 || level_[head_[a]] != level_[v] + 1)) ++a;
      if (a < begin_[v + 1]) {
        path_.push_back(a);
        v = head_[a];
        continue;
      }
      if (path_.empty()) return value;
      v = head_[reverse_[path_.back()]];
      ++current_[v];
      path_.pop_back();
    }
  }

  std::size_t n_;
  std::vector<std::uint32_t> begin_, head_, reverse_, level_, current_, queue_, path_;
  std::vector<Capacity> room_;
};

}  // namespace berth::bench
