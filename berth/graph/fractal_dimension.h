// The fractal dimension of a node: how fast the number of nodes within reach grows with distance.
//
// Let r_1 < ... < r_m be the distinct positive hop distances from v to the nodes it can reach, and
// N_k the number of other nodes within distance r_k. The dimension is the least-squares slope of
// log N over log r:
//   D(v) = sum_k (a_k - a)(b_k - b) / sum_k (a_k - a)^2,   a_k = log r_k,  b_k = log N_k
// with means a and b, and 0 when m < 2. Nodes out of reach do not count. A chain has dimension 1, a
// node between many branches more.
//
// One breadth-first search per node, shared between threads: O(V (V + E)). Above `sample_above`
// nodes only the first `sample` distances are followed, which keeps wide and deep graphs
// affordable.
//
// Duan et al., A Structure-Aware Framework for Learning Device Placements, NeurIPS 2024, section 3.
#pragma once

#include <cstdint>
#include <vector>

namespace berth {

// Directed edges as adjacency lists; node numbers are below `successors.size()`.
using Adjacency = std::vector<std::vector<std::uint32_t>>;

Adjacency reversed(const Adjacency& successors);
Adjacency undirected(const Adjacency& successors);  // without repeated neighbours

struct FractalOptions {
  std::size_t sample_above = 20000;  // nodes
  std::uint32_t sample = 64;         // distances
  int threads = 0;                   // 0: all cores; results do not depend on it
};

// D(v) along the edges given.
std::vector<double> fractal_dimensions(const Adjacency& successors,
                                       const FractalOptions& options = {});

}  // namespace berth
