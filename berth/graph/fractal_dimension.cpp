#include "berth/graph/fractal_dimension.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "berth/base/parallel.h"

namespace berth {
namespace {

// The slope of log(within reach) over log(distance), fed one distance after another.
class Slope {
 public:
  void add(std::uint32_t distance, std::size_t within_reach) {
    const double a = std::log(static_cast<double>(distance));
    const double b = std::log(static_cast<double>(within_reach));
    ++count_;
    sum_a_ += a;
    sum_b_ += b;
    sum_aa_ += a * a;
    sum_ab_ += a * b;
  }
  double value() const {
    if (count_ < 2) return 0;
    const double n = static_cast<double>(count_);
    const double spread = sum_aa_ - sum_a_ * sum_a_ / n;
    return (sum_ab_ - sum_a_ * sum_b_ / n) / spread;
  }

 private:
  std::size_t count_ = 0;
  double sum_a_ = 0, sum_b_ = 0, sum_aa_ = 0, sum_ab_ = 0;
};

class Searcher {
 public:
  explicit Searcher(const Adjacency& successors)
      : successors_(successors), seen_(successors.size(), 0) {}

  double dimension(std::uint32_t start, std::uint32_t most_distances) {
    ++stamp_;
    seen_[start] = stamp_;
    frontier_.assign(1, start);
    Slope slope;
    std::size_t within_reach = 0;
    for (std::uint32_t distance = 1; distance <= most_distances; ++distance) {
      next_.clear();
      for (const std::uint32_t node : frontier_)
        for (const std::uint32_t neighbour : successors_[node])
          if (seen_[neighbour] != stamp_) {
            seen_[neighbour] = stamp_;
            next_.push_back(neighbour);
          }
      if (next_.empty()) break;
      within_reach += next_.size();
      slope.add(distance, within_reach);
      frontier_.swap(next_);
    }
    return slope.value();
  }

 private:
  const Adjacency& successors_;
  std::vector<std::uint32_t> seen_, frontier_, next_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

Adjacency reversed(const Adjacency& successors) {
  Adjacency result(successors.size());
  for (std::uint32_t node = 0; node < successors.size(); ++node)
    for (const std::uint32_t next : successors[node]) result[next].push_back(node);
  return result;
}

Adjacency undirected(const Adjacency& successors) {
  Adjacency result = reversed(successors);
  for (std::size_t node = 0; node < successors.size(); ++node) {
    std::vector<std::uint32_t>& all = result[node];
    all.insert(all.end(), successors[node].begin(), successors[node].end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  return result;
}

std::vector<double> fractal_dimensions(const Adjacency& successors, const FractalOptions& options) {
  const std::uint32_t nodes = static_cast<std::uint32_t>(successors.size());
  const std::uint32_t most_distances =
      nodes > options.sample_above ? options.sample : std::numeric_limits<std::uint32_t>::max();
  std::vector<double> result(nodes, 0.0);
  constexpr std::size_t kBatch = 64;
  const auto searchers = [&]() -> ItemWorker {
    return [&, searcher = std::make_shared<Searcher>(successors)](std::size_t node) {
      result[node] = searcher->dimension(static_cast<std::uint32_t>(node), most_distances);
    };
  };
  for_each_item(nodes, nodes < 256 ? 1 : thread_count(options.threads), searchers, kBatch);
  return result;
}

}  // namespace berth
