#include "berth/learn/node_features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace berth {
namespace {

using Column = std::vector<double>;

FeatureMatrix beside(std::size_t rows, const std::vector<Column>& columns) {
  FeatureMatrix matrix{rows, columns.size(), std::vector<float>(rows * columns.size())};
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t r = 0; r < rows; ++r)
      matrix.values[r * columns.size() + c] = static_cast<float>(columns[c][r]);
  return matrix;
}

// The shape that the set shows to the outside: of its last member's first output.
std::vector<std::int64_t> shape_of(const Graph& graph, const std::vector<NodeId>& members) {
  const auto outputs = graph.outputs(members.back());
  return outputs.empty() ? std::vector<std::int64_t>{} : graph.tensor(outputs.front()).shape;
}

void add_shapes(const Graph& graph, const PolicyGraph& sets, bool logarithm,
                std::vector<Column>& columns) {
  std::size_t rank = 0;
  for (const TensorId tensor : graph.tensors())
    rank = std::max(rank, graph.tensor(tensor).shape.size());
  const std::size_t first = columns.size();
  columns.resize(first + rank, Column(sets.size(), 0.0));
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::vector<std::int64_t> shape = shape_of(graph, sets.members[set]);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const double size = static_cast<double>(shape[i]);
      columns[first + i][set] = logarithm ? std::log1p(std::max(size, 0.0)) : size;
    }
  }
}

Column degrees(const Adjacency& neighbours) {
  Column result;
  for (const std::vector<std::uint32_t>& all : neighbours)
    result.push_back(static_cast<double>(all.size()));
  return result;
}

void add_one_hot(const Column& values, std::vector<Column>& columns) {
  const std::set<double> distinct(values.begin(), values.end());
  for (const double value : distinct) {
    Column& column = columns.emplace_back();
    for (const double given : values) column.push_back(given == value ? 1.0 : 0.0);
  }
}

Column logarithms(Column values) {
  for (double& value : values) value = std::log1p(std::max(value, 0.0));
  return values;
}

Column over_largest(Column values) {
  const double largest = *std::max_element(values.begin(), values.end());
  if (largest > 0)
    for (double& value : values) value /= largest;
  return values;
}

// Hops from the farthest start, in the order of set numbers; edges that fall (units of training
// graphs) are left out.
Column levels(const Adjacency& before, bool rising) {
  Column result(before.size(), 0.0);
  for (std::size_t step = 0; step < before.size(); ++step) {
    const std::size_t set = rising ? step : before.size() - 1 - step;
    for (const std::uint32_t other : before[set])
      if (rising ? other < set : other > set)
        result[set] = std::max(result[set], result[other] + 1);
  }
  return result;
}

// Smallest, mean and largest time over the devices that may run the set, and how many those are.
void add_times(const PolicyGraph& sets, Duration reference, std::vector<Column>& columns) {
  Column smallest, mean, largest, support;
  const double unit = std::max(reference.count(), 1e-9);
  for (std::uint32_t set = 0; set < sets.size(); ++set) {
    double low = kForever.count(), high = 0, sum = 0, count = 0;
    for (std::size_t d = 0; d < sets.device_count; ++d) {
      if (!sets.may_use(set, d)) continue;
      const double time = sets.micros[set * sets.device_count + d] / unit;
      low = std::min(low, time);
      high = std::max(high, time);
      sum += time;
      ++count;
    }
    smallest.push_back(count > 0 ? low : 0);
    mean.push_back(count > 0 ? sum / count : 0);
    largest.push_back(high);
    support.push_back(count);
  }
  for (Column* column : {&smallest, &mean, &largest, &support}) columns.push_back(*column);
}

}  // namespace

std::vector<std::string> operator_types(const Problem& problem) {
  std::set<std::string> types;
  for (const NodeId node : problem.graph().nodes())
    types.insert(problem.graph().node(node).op_type);
  return {types.begin(), types.end()};
}

FeatureMatrix type_shares(const Problem& problem, const PolicyGraph& graph,
                          const std::vector<std::string>& types) {
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < types.size(); ++i) column[types[i]] = i;
  FeatureMatrix matrix{graph.size(), types.size(), std::vector<float>(graph.size() * types.size())};
  for (std::size_t set = 0; set < graph.size(); ++set) {
    const float share = 1.0F / static_cast<float>(graph.members[set].size());
    for (const NodeId node : graph.members[set]) {
      const auto found = column.find(problem.graph().node(node).op_type);
      if (found != column.end()) matrix.values[set * types.size() + found->second] += share;
    }
  }
  return matrix;
}

FeatureMatrix paper_features(const Problem& problem, const PolicyGraph& graph,
                             const std::vector<std::string>& types,
                             const PaperFeatureOptions& options) {
  std::vector<Column> columns;
  const FeatureMatrix shares = type_shares(problem, graph, types);
  for (std::size_t type = 0; type < types.size(); ++type) {
    Column& column = columns.emplace_back();
    for (std::size_t set = 0; set < graph.size(); ++set)
      column.push_back(shares.values[set * types.size() + type]);
  }
  if (options.shape) add_shapes(problem.graph(), graph, false, columns);
  if (options.structure) {
    add_one_hot(degrees(graph.predecessors), columns);
    add_one_hot(degrees(graph.successors), columns);
    columns.push_back(fractal_dimensions(graph.successors));
  }
  if (options.index) {
    Column& column = columns.emplace_back();
    for (std::size_t set = 0; set < graph.size(); ++set)
      column.push_back(static_cast<double>(set + 1));
  }
  return beside(graph.size(), columns);
}

FeatureMatrix scaled_features(const Problem& problem, const PolicyGraph& graph,
                              Duration reference) {
  std::vector<Column> columns;
  for (const Column* bytes : {&graph.flops, &graph.output_bytes, &graph.weight_bytes})
    columns.push_back(logarithms(*bytes));
  add_shapes(problem.graph(), graph, true, columns);
  columns.push_back(logarithms(degrees(graph.predecessors)));
  columns.push_back(logarithms(degrees(graph.successors)));
  columns.push_back(over_largest(levels(graph.predecessors, true)));
  columns.push_back(over_largest(levels(graph.successors, false)));
  Column position;
  for (std::size_t set = 0; set < graph.size(); ++set) position.push_back(static_cast<double>(set));
  columns.push_back(over_largest(position));
  columns.push_back(fractal_dimensions(graph.successors));
  columns.push_back(fractal_dimensions(graph.predecessors));
  columns.push_back(fractal_dimensions(undirected(graph.successors)));
  add_times(graph, reference, columns);
  double smallest_limit = 0;
  for (const DeviceId device : problem.devices())
    if (const auto limit = problem.cluster().device(device).memory; limit && limit->count > 0) {
      const double bytes = static_cast<double>(limit->count);
      smallest_limit = smallest_limit > 0 ? std::min(smallest_limit, bytes) : bytes;
    }
  Column& memory = columns.emplace_back();
  for (const double bytes : graph.weight_bytes)
    memory.push_back(smallest_limit > 0 ? bytes / smallest_limit : 0.0);
  FeatureMatrix matrix = beside(graph.size(), columns);
  standardise(matrix);
  return matrix;
}

void standardise(FeatureMatrix& matrix) {
  const double rows = static_cast<double>(matrix.rows);
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < matrix.rows; ++r) sum += matrix.values[r * matrix.columns + c];
    const double mean = sum / rows;
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      const double off = matrix.values[r * matrix.columns + c] - mean;
      squares += off * off;
    }
    const double deviation = std::sqrt(squares / rows);
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      float& value = matrix.values[r * matrix.columns + c];
      value = deviation > 1e-6
                  ? static_cast<float>(std::clamp((value - mean) / deviation, -5.0, 5.0))
                  : 0.0F;
    }
  }
}

}  // namespace berth
