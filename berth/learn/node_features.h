// What a learned policy is told about each co-location set, as numbers.
//
// Two kinds. `paper_features` are HSDAG's, in its order and not normalised:
//   mean one-hot operator type | output shape of the last member, zero-padded to the largest rank |
//   one-hot in-degree | one-hot out-degree | fractal dimension along the edges | topological index
// `scaled_features` are berth's: logarithms of work, bytes, shape and degrees, levels relative to
// their maximum, fractal dimensions along, against and across the edges, times on the devices
// relative to a reference, memory and support; then standardised per graph and clipped to [-5, 5],
// so that graphs of any size and unit look alike. Operator types stay counts, for an embedding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/units.h"
#include "berth/learn/policy_graph.h"
#include "berth/problem.h"

namespace berth {

struct FeatureMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;  // row-major
};

// Operator types in alphabetical order, over all problems that one policy sees.
std::vector<std::string> operator_types(const Problem& problem);

// Share of each type among the members of each set; a type that is not listed counts nowhere.
FeatureMatrix type_shares(const Problem& problem, const PolicyGraph& graph,
                          const std::vector<std::string>& types);

// Blocks that may be left out, as in the paper's ablation.
struct PaperFeatureOptions {
  bool shape = true;      // output shape
  bool index = true;      // topological index
  bool structure = true;  // degrees and fractal dimension
};

FeatureMatrix paper_features(const Problem& problem, const PolicyGraph& graph,
                             const std::vector<std::string>& types,
                             const PaperFeatureOptions& options = {});

FeatureMatrix scaled_features(const Problem& problem, const PolicyGraph& graph, Duration reference);

// Subtracts each column's mean, divides by its deviation (columns that are constant become zero),
// clips to [-5, 5].
void standardise(FeatureMatrix& matrix);

}  // namespace berth
