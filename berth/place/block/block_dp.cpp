#include "berth/place/block/block_dp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/base/parallel.h"
#include "berth/graph/cut_nodes.h"
#include "berth/graph/order.h"
#include "berth/place/block/block_search.h"
#include "berth/place/list/peft.h"

namespace berth {
namespace {

constexpr std::size_t kFirstWidth = 8, kWider = 8;
constexpr double kRounding = 1 - 1e-12;  // sums were rounded, a bound must not be

// What is known of one kind of block, by the devices of its source and sink.
struct KnownBlock {
  Block block;
  std::vector<BlockSchedule> pairs;
  std::vector<std::size_t> width;  // of the last search of each pair

  explicit KnownBlock(Block made) : block(std::move(made)) {
    for (std::size_t a = 0; a < block.source_devices(); ++a)
      for (std::size_t b = 0; b < block.sink_devices(); ++b)
        pairs.push_back(block_bound(block, a, b));
    width.assign(pairs.size(), 0);
  }
  std::size_t pair(std::size_t a, std::size_t b) const { return a * block.sink_devices() + b; }
};

// The blocks in a row, and shortest paths through them.
class Chain {
 public:
  explicit Chain(const Problem& problem) : problem_(problem) {
    const Graph& graph = problem.graph();
    const std::span<const NodeId> order = graph.topological_order();
    const IdVector<NodeId, std::uint32_t> position =
        positions(std::vector<NodeId>(order.begin(), order.end()));
    std::optional<std::size_t> before;
    for (const NodeId cut : cut_nodes(graph)) {
      add(Block(problem, before, position[cut]));
      before = position[cut];
    }
    add(Block(problem, before, std::nullopt));
  }

  std::vector<KnownBlock>& kinds() { return kinds_; }

  enum class Side { kLower, kUpper };
  struct Path {
    double length = 0;                  // infinite: there is none
    std::vector<std::size_t> device{};  // of each separator, stand-ins included
  };
  // From every separator and device to the end: the separator's own time included.
  using Lengths = std::vector<std::vector<double>>;
  Lengths to_end(Side side) const {
    Lengths result(row_.size() + 1);
    result.back() = {0.0};
    for (std::size_t i = row_.size(); i-- > 0;) {
      const KnownBlock& known = kinds_[row_[i]];
      for (std::size_t a = 0; a < known.block.source_devices(); ++a) {
        double least = kForever.count();
        for (std::size_t b = 0; b < known.block.sink_devices(); ++b)
          least = std::min(least, length(i, a, b, side) + result[i + 1][b]);
        result[i].push_back(least + time(i, a));
      }
    }
    return result;
  }
  Lengths from_begin(Side side) const {  // up to the separator's end
    Lengths result{{0.0}};
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const KnownBlock& known = kinds_[row_[i]];
      std::vector<double>& next = result.emplace_back();
      for (std::size_t b = 0; b < known.block.sink_devices(); ++b) {
        double least = kForever.count();
        for (std::size_t a = 0; a < known.block.source_devices(); ++a)
          least = std::min(least, result[i][a] + length(i, a, b, side));
        next.push_back(least + time(i + 1, b));
      }
    }
    return result;
  }
  Path shortest(Side side) const {
    const Lengths rest = to_end(side);
    Path path{.length = rest.front().front(), .device = {0}};
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const std::size_t a = path.device.back();
      std::size_t best = 0;
      for (std::size_t b = 1; b < rest[i + 1].size(); ++b)
        if (length(i, a, b, side) + rest[i + 1][b] < length(i, a, best, side) + rest[i + 1][best])
          best = b;
      path.device.push_back(best);
    }
    return path;
  }

  // What is to be searched next: a pair of a kind, and the length that is no longer of interest.
  struct Job {
    std::size_t kind, pair, a, b;
    double enough;
  };
  // The pairs of the paths that are not exact and may be searched wider, each once.
  std::vector<Job> open_pairs(std::span<const Path> paths, double best,
                              std::size_t most_width) const;
  // The devices and order of the path by upper sides.
  Placement placement(const Path& path) const;

 private:
  void add(Block block) {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i].block.same_as(block)) {
        row_.push_back(i);
        own_.push_back(std::move(block));
        return;
      }
    row_.push_back(kinds_.size());
    own_.push_back(block);
    kinds_.emplace_back(std::move(block));
  }
  double length(std::size_t i, std::size_t a, std::size_t b, Side side) const {
    const KnownBlock& known = kinds_[row_[i]];
    const BlockSchedule& pair = known.pairs[known.pair(a, b)];
    return side == Side::kLower ? pair.lower : pair.upper;
  }
  // Of separator i, between block i - 1 and block i, on the device.
  double time(std::size_t i, std::size_t device) const {
    const std::optional<NodeId> node =
        i < row_.size() ? own_[i].node(own_[i].source()) : std::nullopt;
    if (!node) return 0;
    const DeviceId at = static_cast<DeviceId>(device);
    return problem_.allows(*node, at) ? problem_.time(*node, at).count() : kForever.count();
  }

  const Problem& problem_;
  std::vector<KnownBlock> kinds_;
  std::vector<std::size_t> row_;  // kind of each block
  std::vector<Block> own_;        // each block with its own nodes
};

std::vector<Chain::Job> Chain::open_pairs(std::span<const Path> paths, double best,
                                          std::size_t most_width) const {
  const Lengths before = from_begin(Side::kLower), after = to_end(Side::kLower);
  std::vector<Job> jobs;
  for (const Path& path : paths)
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const std::size_t a = path.device[i], b = path.device[i + 1];
      const KnownBlock& known = kinds_[row_[i]];
      const std::size_t pair = known.pair(a, b);
      if (known.pairs[pair].exact() || known.width[pair] >= most_width) continue;
      const double enough = best - before[i][a] - after[i + 1][b];
      const auto same = std::ranges::find_if(
          jobs, [&](const Job& job) { return job.kind == row_[i] && job.pair == pair; });
      if (same == jobs.end())
        jobs.push_back({row_[i], pair, a, b, enough});
      else
        same->enough = std::max(same->enough, enough);
    }
  return jobs;
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
    const KnownBlock& known = kinds_[row_[i]];
    for (const BlockSchedule::Step& step :
         known.pairs[known.pair(path.device[i], path.device[i + 1])].steps)
      run(own_[i].node(step.node), step.device);
  }
  return result;
}

void search(Chain& chain, const std::vector<Chain::Job>& jobs, std::size_t most_width,
            std::size_t threads, const Budget& budget) {
  for_each_item(jobs.size(), threads, [&]() -> ItemWorker {
    return [&](std::size_t item) {
      const Chain::Job& job = jobs[item];
      KnownBlock& known = chain.kinds()[job.kind];
      std::size_t& width = known.width[job.pair];
      width = std::min(most_width, width == 0 ? kFirstWidth : width * kWider);
      search_block(known.block, job.a, job.b, width, job.enough, budget, known.pairs[job.pair]);
    };
  });
}

// A first schedule of every pair, narrow.
void search_all(Chain& chain, std::size_t threads, const Budget& budget) {
  std::vector<Chain::Job> jobs;
  for (std::size_t kind = 0; kind < chain.kinds().size(); ++kind) {
    const Block& block = chain.kinds()[kind].block;
    for (std::size_t a = 0; a < block.source_devices(); ++a)
      for (std::size_t b = 0; b < block.sink_devices(); ++b)
        jobs.push_back({kind, chain.kinds()[kind].pair(a, b), a, b, kForever.count()});
  }
  search(chain, jobs, kFirstWidth, threads, budget);
}

}  // namespace

void block_dp(const Context& context, const BlockDpOptions& options) {
  const std::size_t threads = thread_count(options.threads);
  const std::size_t most_width = static_cast<std::size_t>(std::max(options.width, 1));
  if (!context.problem.as<Concurrent>())
    return context.incumbent.fail("block-dp is for the latency of concurrent execution");
  peft(context, {});  // something to be better than
  Chain chain(context.problem);
  search_all(chain, threads, context.budget);
  double offered = kForever.count();
  while (true) {
    const Chain::Path upper = chain.shortest(Chain::Side::kUpper);
    const Chain::Path lower = chain.shortest(Chain::Side::kLower);
    if (upper.length < offered) {
      offered = upper.length;
      context.incumbent.suggest(chain.placement(upper));
    }
    if (std::isfinite(lower.length))
      context.incumbent.raise_bound(Duration{lower.length * kRounding});
    if (context.incumbent.closed() || context.budget.out_of_time()) return;
    const double best = std::min(upper.length, context.incumbent.value().count());
    const std::vector<Chain::Job> jobs =
        chain.open_pairs(std::array{lower, upper}, best, most_width);
    if (jobs.empty()) return;
    search(chain, jobs, most_width, threads, context.budget);
  }
}

}  // namespace berth
