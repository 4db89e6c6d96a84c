#include "berth/graph/cut_nodes.h"

#include <algorithm>

#include "berth/graph/order.h"

namespace berth {
namespace {

// How many of the intervals [begin, end) hold each position.
class Coverage {
 public:
  explicit Coverage(std::size_t positions) : change_(positions + 1, 0) {}
  void add(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    ++change_[begin];
    --change_[end];
  }
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> result;
    std::int64_t count = 0;
    for (std::size_t i = 0; i + 1 < change_.size(); ++i) result.push_back(count += change_[i]);
    return result;
  }

 private:
  std::vector<std::int64_t> change_;
};

}  // namespace

std::vector<NodeId> cut_nodes(const Graph& graph) {
  const std::span<const NodeId> topological = graph.topological_order();
  const std::vector<NodeId> order(topological.begin(), topological.end());
  const IdVector<NodeId, std::uint32_t> position = positions(order);
  const std::size_t nodes = order.size();
  Coverage sinks(nodes), sources(nodes), spans(nodes);
  for (const NodeId node : order) {
    std::size_t first_use = nodes, last_input = 0;
    for (const NodeId next : graph.successors(node)) {
      first_use = std::min<std::size_t>(first_use, position[next]);
      spans.add(position[node] + 1, position[next]);
    }
    for (const NodeId before : graph.predecessors(node))
      last_input = std::max<std::size_t>(last_input, position[before] + 1);
    sinks.add(position[node], first_use);
    sources.add(last_input, position[node] + 1);
  }
  const std::vector<std::int64_t> sinks_at = sinks.counts(), sources_at = sources.counts(),
                                  spans_at = spans.counts();
  std::vector<NodeId> found;
  for (std::size_t i = 0; i < nodes; ++i)
    if (sinks_at[i] == 1 && sources_at[i] == 1 && spans_at[i] == 0) found.push_back(order[i]);
  return found;
}

}  // namespace berth
