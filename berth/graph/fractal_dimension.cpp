#include "berth/graph/fractal_dimension.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "berth/base/parallel.h"

namespace berth {
namespace {

class Searcher {
 public:
  explicit Searcher(const Adjacency& successors)
      : successors_(successors), seen_(successors.size(), 0) {}

  double dimension(std::uint32_t start, std::uint32_t most_distances) {
    ++stamp_;
    seen_[start] = stamp_;
    frontier_.assign(1, start);
    double n = 0, sum_a = 0, sum_b = 0, sum_aa = 0, sum_ab = 0;  // of the points of the fit
    std::size_t within_reach = 0;
    for (std::uint32_t distance = 1; distance <= most_distances; ++distance) {
      next_.clear();
      for (const std::uint32_t node : frontier_)
        for (const std::uint32_t neighbour : successors_[node])
          if (std::exchange(seen_[neighbour], stamp_) != stamp_) next_.push_back(neighbour);
      if (next_.empty()) break;
      within_reach += next_.size();
      const double a = std::log(static_cast<double>(distance));
      const double b = std::log(static_cast<double>(within_reach));
      ++n;
      sum_a += a;
      sum_b += b;
      sum_aa += a * a;
      sum_ab += a * b;
      frontier_.swap(next_);
    }
    if (n < 2) return 0;
    return (sum_ab - sum_a * sum_b / n) / (sum_aa - sum_a * sum_a / n);
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
