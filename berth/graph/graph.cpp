#include "berth/graph/graph.h"

#include <cmath>
#include <queue>
#include <unordered_set>

#include <fmt/format.h>

#include "berth/base/fail.h"

namespace berth {
namespace {

constexpr std::size_t kMostItems = 0xfffffff0U;  // ids are 32 bits

void check_number(const std::string& node, const char* what, double value) {
  if (!std::isfinite(value) || value < 0)
    fail("node '{}': {} is {}, expected a finite number >= 0", node, what, value);
}

void check_node(const Node& node) {
  check_number(node.name, "flops", node.flops);
  check_number(node.name, "frequency", node.frequency);
  check_number(node.name, "weights", static_cast<double>(node.weights.count));
  check_number(node.name, "workspace", static_cast<double>(node.workspace.count));
}

// Copies of a weight are counted by its size, the original by the node's weights: the node must
// hold what it shares.
void check_shared_weights(const Graph& graph) {
  for (const NodeId node : graph.nodes()) {
    Bytes rest = graph.node(node).weights;
    for (const TensorId tensor : graph.outputs(node)) {
      if (!graph.is_weight(tensor)) continue;
      rest -= graph.tensor(tensor).size;
      if (rest < Bytes{0})
        fail("node '{}': its tensors of role weight have more bytes than the {} that it holds",
             graph.node(node).name, graph.node(node).weights.count);
    }
  }
}

// Drops repeats within each list; the first of each stays where it is.
IdLists<TensorId, NodeId> without_repeats(const IdLists<TensorId, NodeId>& uses,
                                          std::size_t node_count) {
  IdVector<NodeId, std::size_t> last_list(node_count, 0);  // from 1
  IdLists<TensorId, NodeId> result;
  for (const TensorId tensor : IdRange<TensorId>(uses.size())) {
    for (const NodeId node : uses[tensor])
      if (std::exchange(last_list[node], index(tensor) + 1) != index(tensor) + 1) result.push(node);
    result.close();
  }
  return result;
}

// Kahn's algorithm; the smallest ready id first, so that file order survives where it can.
std::vector<NodeId> order_by_id(const Graph& graph) {
  std::vector<std::uint32_t> missing(graph.node_count());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (const NodeId node : graph.nodes()) {
    missing[index(node)] = static_cast<std::uint32_t>(graph.predecessors(node).size());
    if (missing[index(node)] == 0) ready.push(node);
  }
  std::vector<NodeId> order;
  order.reserve(graph.node_count());
  while (!ready.empty()) {
    const NodeId node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const NodeId next : graph.successors(node))
      if (--missing[index(next)] == 0) ready.push(next);
  }
  return order;
}

// Walks backwards from a node that never became ready until a node repeats.
std::string describe_cycle(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<bool> done(graph.node_count(), false);
  for (const NodeId node : order) done[index(node)] = true;
  NodeId at{0};
  while (done[index(at)]) at = static_cast<NodeId>(index(at) + 1);
  std::vector<std::uint32_t> seen_at(graph.node_count(), 0);
  std::vector<NodeId> path;
  while (seen_at[index(at)] == 0) {
    path.push_back(at);
    seen_at[index(at)] = static_cast<std::uint32_t>(path.size());
    for (const NodeId before : graph.predecessors(at))
      if (!done[index(before)]) {
        at = before;
        break;
      }
  }
  const std::vector<NodeId> cycle(path.begin() + (seen_at[index(at)] - 1), path.end());
  constexpr std::size_t kShown = 6;
  std::string text = fmt::format("'{}'", graph.node(cycle.front()).name);
  for (std::size_t i = 0; i < std::min(cycle.size() - 1, kShown); ++i)
    text += fmt::format(" <- '{}'", graph.node(cycle[i + 1]).name);
  if (cycle.size() - 1 > kShown) text += fmt::format(" <- ... ({} nodes)", cycle.size());
  return text + fmt::format(" <- '{}'", graph.node(cycle.front()).name);
}

}  // namespace

Graph Graph::with_groups(const IdVector<NodeId, std::int32_t>& group_of) const {
  Graph other = *this;
  for (const NodeId node : nodes()) other.nodes_[node].group = group_of[node];
  return other;
}

bool Graph::adds_in_place(NodeId node) const {
  return std::ranges::any_of(outputs(node), [&](TensorId made) {
    return tensors_[made].role == TensorRole::kGradientSum;
  });
}

NodeId GraphBuilder::add_node(Node node) {
  if (nodes_.size() >= kMostItems) throw Error("the graph has more than 4294967279 nodes");
  return nodes_.push_back(std::move(node));
}

TensorId GraphBuilder::add_tensor(NodeId producer, Tensor tensor) {
  if (index(producer) >= nodes_.size())
    fail("tensor {} is made by node {}, but the graph has {} nodes", tensors_.size(),
         index(producer), nodes_.size());
  if (tensor.size < Bytes{0})
    fail("node '{}': an output has {} bytes, expected >= 0", nodes_[producer].name,
         tensor.size.count);
  producer_.push_back(producer);
  return tensors_.push_back(std::move(tensor));
}

void GraphBuilder::add_use(TensorId tensor, NodeId consumer) {
  if (index(tensor) >= tensors_.size())
    fail("a use names tensor {}, but the graph has {} tensors", index(tensor), tensors_.size());
  if (index(consumer) >= nodes_.size())
    fail("tensor {} is used by node {}, but the graph has {} nodes", index(tensor), index(consumer),
         nodes_.size());
  if (uses_.size() >= kMostItems) throw Error("the graph has more than 4294967279 edges");
  uses_.emplace_back(tensor, consumer);
}

Graph GraphBuilder::build() && {
  for (const NodeId node : nodes_.ids())
    if (nodes_[node].name.empty()) nodes_[node].name = std::to_string(index(node));
  std::unordered_set<std::string_view> names;
  names.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    check_node(node);
    if (!names.insert(node.name).second)
      fail("two nodes are named '{}': names must be unique", node.name);
  }

  Graph graph;
  graph.nodes_ = std::move(nodes_);
  graph.tensors_ = std::move(tensors_);
  graph.producer_ = std::move(producer_);
  const std::size_t node_count = graph.nodes_.size();

  using Use = std::pair<TensorId, NodeId>;
  graph.consumers_ =
      without_repeats({graph.tensor_count(), uses_, &Use::first, &Use::second}, node_count);
  graph.outputs_ = {node_count, graph.tensors(), [&](TensorId t) { return graph.producer(t); }};
  uses_.clear();
  for (const TensorId tensor : graph.tensors())
    for (const NodeId consumer : graph.consumers(tensor)) uses_.emplace_back(tensor, consumer);
  graph.inputs_ = {node_count, uses_, &Use::second, &Use::first};
  for (const NodeId node : graph.nodes()) {
    for (const TensorId tensor : graph.outputs(node))
      graph.successors_.push(graph.consumers(tensor));
    graph.successors_.close_distinct();
    for (const TensorId tensor : graph.inputs(node))
      graph.predecessors_.push(graph.producer(tensor));
    graph.predecessors_.close_distinct();
  }

  check_shared_weights(graph);
  graph.topological_order_ = order_by_id(graph);
  if (graph.topological_order_.size() != node_count)
    throw Error("the graph has a cycle: " + describe_cycle(graph, graph.topological_order_));
  return graph;
}

}  // namespace berth
