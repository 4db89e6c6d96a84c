#include "berth/graph/fractal_dimension.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "berth/base/random.h"

namespace berth {
namespace {

Adjacency path(std::uint32_t nodes) {
  Adjacency result(nodes);
  for (std::uint32_t i = 0; i + 1 < nodes; ++i) result[i].push_back(i + 1);
  return result;
}

TEST_CASE("the worked cases of the paper's definition") {
  const std::vector<double> undirected_path = fractal_dimensions(undirected(path(5)));
  CHECK(undirected_path[0] == doctest::Approx(1.0));
  CHECK(undirected_path[2] == doctest::Approx(1.0));
  CHECK(undirected_path[1] == doctest::Approx(0.626).epsilon(0.001));

  const std::vector<double> directed_path = fractal_dimensions(path(4));
  CHECK(directed_path[0] == doctest::Approx(1.0));
  CHECK(directed_path[3] == 0.0);

  constexpr std::uint32_t kLeaves = 6;
  Adjacency star(kLeaves + 1);
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) star[0].push_back(leaf);
  const std::vector<double> in_star = fractal_dimensions(undirected(star));
  CHECK(in_star[0] == 0.0);
  CHECK(in_star[1] == doctest::Approx(std::log(kLeaves) / std::log(2.0)));
}

// Distances by Floyd and Warshall, then the definition word by word.
double literal_dimension(const std::vector<std::vector<double>>& distance, std::size_t node) {
  std::vector<double> a, b;
  for (double r = 1; r < static_cast<double>(distance.size()); ++r) {
    bool occurs = false;
    double within = 0;
    for (std::size_t other = 0; other < distance.size(); ++other) {
      if (other == node) continue;
      occurs = occurs || distance[node][other] == r;
      within += distance[node][other] <= r ? 1 : 0;
    }
    if (!occurs) continue;
    a.push_back(std::log(r));
    b.push_back(std::log(within));
  }
  if (a.size() < 2) return 0;
  double mean_a = 0, mean_b = 0, above = 0, below = 0;
  for (std::size_t k = 0; k < a.size(); ++k) mean_a += a[k] / static_cast<double>(a.size());
  for (std::size_t k = 0; k < b.size(); ++k) mean_b += b[k] / static_cast<double>(b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    above += (a[k] - mean_a) * (b[k] - mean_b);
    below += (a[k] - mean_a) * (a[k] - mean_a);
  }
  return above / below;
}

TEST_CASE("random graphs agree with the definition read literally, on any number of threads") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const std::uint32_t nodes = seed == 30 ? 300 : 2 + static_cast<std::uint32_t>(rng.below(30));
    Adjacency graph(nodes);
    for (std::uint32_t i = 1; i < nodes; ++i)
      for (std::uint32_t j = i > 8 ? i - 8 : 0; j < i; ++j)
        if (rng.below(4) == 0) graph[j].push_back(i);
    std::vector<std::vector<double>> distance(
        nodes, std::vector<double>(nodes, std::numeric_limits<double>::infinity()));
    for (std::uint32_t i = 0; i < nodes; ++i) {
      distance[i][i] = 0;
      for (const std::uint32_t j : graph[i]) distance[i][j] = 1;
    }
    for (std::uint32_t k = 0; k < nodes; ++k)
      for (std::uint32_t i = 0; i < nodes; ++i)
        for (std::uint32_t j = 0; j < nodes; ++j)
          distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
    const std::vector<double> one = fractal_dimensions(graph, {.threads = 1});
    CHECK(one == fractal_dimensions(graph, {.threads = 3}));
    for (std::uint32_t i = 0; i < nodes; ++i)
      CHECK(one[i] == doctest::Approx(literal_dimension(distance, i)).epsilon(1e-9));
  }
}

TEST_CASE("above the limit only the first distances are followed") {
  const std::vector<double> sampled =
      fractal_dimensions(path(100), {.sample_above = 50, .sample = 4});
  CHECK(sampled[0] == doctest::Approx(1.0));  // 1, 2, 3, 4 within 1, 2, 3, 4
  CHECK(sampled[98] == 0.0);
}

}  // namespace
}  // namespace berth
