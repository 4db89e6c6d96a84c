#include "berth/place/block/chain.h"

#include <algorithm>

#include "berth/base/parallel.h"

namespace berth {
namespace {

constexpr std::size_t kFirstWidth = 8, kWider = 8;

// The nodes of each block: those after separator i - 1 and before separator i, and not between two
// that are further apart. In topological order.
std::vector<std::vector<NodeId>> inner_nodes(const Graph& graph,
                                             const std::vector<NodeId>& separators) {
  const std::size_t count = separators.size();
  IdVector<NodeId, std::size_t> own(graph.node_count(), 0);  // 1 + number of a separator
  for (std::size_t i = 0; i < count; ++i) own[separators[i]] = i + 1;
  // How many separators are before or at a node, and the number of the first at or after it.
  IdVector<NodeId, std::size_t> before(graph.node_count(), 0), after(graph.node_count(), count);
  const std::span<const NodeId> order = graph.topological_order();
  for (const NodeId node : order) {
    for (const NodeId from : graph.predecessors(node))
      before[node] = std::max(before[node], before[from]);
    if (own[node] > 0) before[node] = own[node];
  }
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    for (const NodeId next : graph.successors(*at)) after[*at] = std::min(after[*at], after[next]);
    if (own[*at] > 0) after[*at] = own[*at] - 1;
  }
  std::vector<std::vector<NodeId>> inner(count + 1);
  for (const NodeId node : order)
    if (own[node] == 0 && before[node] == after[node]) inner[before[node]].push_back(node);
  return inner;
}

}  // namespace

Chain::Kind::Kind(Block made) : block(std::move(made)) {
  for (std::size_t a = 0; a < block.source_devices(); ++a)
    for (std::size_t b = 0; b < block.sink_devices(); ++b)
      pairs.push_back(block_bound(block, a, b));
  width.assign(pairs.size(), 0);
}

Chain::Chain(const Problem& problem, const Separators& separators)
    : problem_(problem), exact_(separators.exact) {
  const std::vector<std::vector<NodeId>> inner = inner_nodes(problem.graph(), separators.nodes);
  std::optional<NodeId> before;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    std::optional<NodeId> next;
    if (i < separators.nodes.size()) next = separators.nodes[i];
    add(Block(problem, before, inner[i], next));
    before = next;
  }
}

void Chain::add(Block block) {
  const auto same =
      std::ranges::find_if(kinds_, [&](const Kind& kind) { return kind.block.same_as(block); });
  row_.push_back(static_cast<std::size_t>(same - kinds_.begin()));
  own_.push_back(block);
  if (same == kinds_.end()) kinds_.emplace_back(std::move(block));
}

double Chain::length(std::size_t i, std::size_t a, std::size_t b, Side side) const {
  const BlockSchedule& pair = kind(i).pairs[kind(i).pair(a, b)];
  return side == Side::kLower ? pair.lower : pair.upper;
}

// Of separator i, between block i - 1 and block i.
double Chain::time(std::size_t separator, std::size_t device) const {
  if (separator == 0 || separator == row_.size()) return 0;
  const NodeId node = *own_[separator].node(own_[separator].source());
  const DeviceId at = static_cast<DeviceId>(device);
  return problem_.allows(node, at) ? problem_.time(node, at).count() : kForever.count();
}

Chain::Lengths Chain::from_begin(Side side) const {
  Lengths result{{0.0}};
  for (std::size_t i = 0; i < row_.size(); ++i) {
    std::vector<double> next;
    for (std::size_t b = 0; b < kind(i).block.sink_devices(); ++b) {
      double least = kForever.count();
      for (std::size_t a = 0; a < result.back().size(); ++a)
        least = std::min(least, result.back()[a] + length(i, a, b, side));
      next.push_back(least + time(i + 1, b));
    }
    result.push_back(std::move(next));
  }
  return result;
}

Chain::Lengths Chain::to_end(Side side) const {
  Lengths result(row_.size() + 1);
  result.back() = {0.0};
  for (std::size_t i = row_.size(); i-- > 0;)
    for (std::size_t a = 0; a < kind(i).block.source_devices(); ++a) {
      double least = kForever.count();
      for (std::size_t b = 0; b < result[i + 1].size(); ++b)
        least = std::min(least, length(i, a, b, side) + result[i + 1][b]);
      result[i].push_back(least + time(i, a));
    }
  return result;
}

Chain::Path Chain::shortest(Side side) const {
  const Lengths rest = to_end(side);
  Path path{.length = rest.front().front(), .device = {0}};
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const auto through = [&](std::size_t b) {
      return length(i, path.device.back(), b, side) + rest[i + 1][b];
    };
    std::size_t best = 0;
    for (std::size_t b = 1; b < rest[i + 1].size(); ++b)
      if (through(b) < through(best)) best = b;
    path.device.push_back(best);
  }
  return path;
}

Placement Chain::placement(const Path& path) const {
  Placement result{IdVector<NodeId, DeviceId>(problem_.node_count()), {}};
  const auto run = [&](std::optional<NodeId> node, std::size_t device) {
    if (!node) return;
    result.device_of[*node] = static_cast<DeviceId>(device);
    result.order.push_back(*node);
  };
  for (std::size_t i = 0; i < row_.size(); ++i) {
    run(own_[i].node(own_[i].source()), path.device[i]);
    for (const BlockSchedule::Step& step :
         kind(i).pairs[kind(i).pair(path.device[i], path.device[i + 1])].steps)
      run(own_[i].node(step.node), step.device);
  }
  return result;
}

std::vector<Chain::Job> Chain::all_jobs(std::size_t most_nodes) const {
  std::vector<Job> jobs;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const Block& block = kinds_[kind].block;
    if (block.size() > most_nodes) continue;
    for (std::size_t a = 0; a < block.source_devices(); ++a)
      for (std::size_t b = 0; b < block.sink_devices(); ++b)
        jobs.push_back({kind, a, b, kForever.count()});
  }
  return jobs;
}

std::vector<Chain::Job> Chain::open_jobs(std::span<const Path> paths, double best,
                                         std::size_t most_width, std::size_t most_nodes) const {
  const Lengths before = from_begin(Side::kLower), after = to_end(Side::kLower);
  std::vector<Job> jobs;
  for (const Path& path : paths)
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const Job job{row_[i], path.device[i], path.device[i + 1],
                    best - before[i][path.device[i]] - after[i + 1][path.device[i + 1]]};
      const std::size_t pair = kind(i).pair(job.a, job.b);
      if (kind(i).pairs[pair].exact() || kind(i).width[pair] >= most_width ||
          kind(i).block.size() > most_nodes)
        continue;
      const auto same = std::ranges::find_if(jobs, [&](const Job& other) {
        return other.kind == job.kind && other.a == job.a && other.b == job.b;
      });
      if (same == jobs.end())
        jobs.push_back(job);
      else
        same->enough = std::max(same->enough, job.enough);
    }
  return jobs;
}

void Chain::search(std::span<const Job> jobs, std::size_t most_width, std::size_t threads,
                   const Budget& budget) {
  for_each_item(jobs.size(), threads, [&]() -> ItemWorker {
    return [&](std::size_t item) {
      const Job& job = jobs[item];
      Kind& kind = kinds_[job.kind];
      const std::size_t pair = kind.pair(job.a, job.b);
      std::size_t& width = kind.width[pair];
      width = std::min(most_width, width == 0 ? kFirstWidth : width * kWider);
      search_block(kind.block, job.a, job.b, width, job.enough, budget, kind.pairs[pair]);
    };
  });
}

}  // namespace berth
