#include "berth/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {
namespace {

constexpr std::size_t kMostItems = 0xfffffff0U;  // ids are 32 bits

void check_number(const std::string& node, const char* what, double value) {
  if (!std::isfinite(value) || value < 0)
    throw Error(
        fmt::format("node '{}': {} is {}, expected a finite number >= 0", node, what, value));
}

void check_node(const Node& node) {
  check_number(node.name, "flops", node.flops);
  check_number(node.name, "frequency", node.frequency);
  check_number(node.name, "weights", static_cast<double>(node.weights.count));
  check_number(node.name, "workspace", static_cast<double>(node.workspace.count));
}

// Groups `items` by `key` (a number below `buckets`) with a counting sort that keeps their order.
template <class Item, class Key, class Value>
void compress(const std::vector<Item>& items, std::size_t buckets, Key key, Value value,
              std::vector<std::uint32_t>& begin, auto& out) {
  begin.assign(buckets + 1, 0);
  for (const Item& item : items) ++begin[key(item) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  out.resize(items.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const Item& item : items) out[next[key(item)]++] = value(item);
}

// Sorts each bucket and drops repeats.
void sort_unique(std::vector<std::uint32_t>& begin, std::vector<NodeId>& items) {
  std::uint32_t write = 0;
  for (std::size_t bucket = 0; bucket + 1 < begin.size(); ++bucket) {
    const auto first = items.begin() + begin[bucket];
    const auto last = items.begin() + begin[bucket + 1];
    std::sort(first, last);
    const auto end = std::unique(first, last);
    begin[bucket] = write;
    for (auto at = first; at != end; ++at) items[write++] = *at;
  }
  begin.back() = write;
  items.resize(write);
}

// Drops repeats within each bucket; the first of each stays where it is.
void keep_first(std::size_t node_count, std::vector<std::uint32_t>& begin,
                std::vector<NodeId>& items) {
  std::vector<std::uint32_t> seen_in(node_count, 0);  // bucket + 1
  std::uint32_t write = 0;
  for (std::uint32_t bucket = 0; bucket + 1 < begin.size(); ++bucket) {
    const std::uint32_t first = begin[bucket], last = begin[bucket + 1];
    begin[bucket] = write;
    for (std::uint32_t at = first; at != last; ++at) {
      std::uint32_t& seen = seen_in[index(items[at])];
      if (seen == bucket + 1) continue;
      seen = bucket + 1;
      items[write++] = items[at];
    }
  }
  begin.back() = write;
  items.resize(write);
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

NodeId GraphBuilder::add_node(Node node) {
  if (nodes_.size() >= kMostItems) throw Error("the graph has more than 4294967279 nodes");
  return nodes_.push_back(std::move(node));
}

TensorId GraphBuilder::add_tensor(NodeId producer, Tensor tensor) {
  if (index(producer) >= nodes_.size())
    throw Error(fmt::format("tensor {} is made by node {}, but the graph has {} nodes",
                            tensors_.size(), index(producer), nodes_.size()));
  if (tensor.size < Bytes{0})
    throw Error(fmt::format("node '{}': an output has {} bytes, expected >= 0",
                            nodes_[producer].name, tensor.size.count));
  producer_.push_back(producer);
  return tensors_.push_back(std::move(tensor));
}

void GraphBuilder::add_use(TensorId tensor, NodeId consumer) {
  if (index(tensor) >= tensors_.size())
    throw Error(fmt::format("a use names tensor {}, but the graph has {} tensors", index(tensor),
                            tensors_.size()));
  if (index(consumer) >= nodes_.size())
    throw Error(fmt::format("tensor {} is used by node {}, but the graph has {} nodes",
                            index(tensor), index(consumer), nodes_.size()));
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
      throw Error(fmt::format("two nodes are named '{}': names must be unique", node.name));
  }

  Graph graph;
  graph.nodes_ = std::move(nodes_);
  graph.tensors_ = std::move(tensors_);
  graph.producer_ = std::move(producer_);
  const std::size_t node_count = graph.nodes_.size();
  const std::size_t tensor_count = graph.tensors_.size();

  compress(
      uses_, tensor_count, [](const auto& use) { return index(use.first); },
      [](const auto& use) { return use.second; }, graph.edge_begin_, graph.edge_head_);
  uses_.clear();
  keep_first(node_count, graph.edge_begin_, graph.edge_head_);

  const std::vector<NodeId>& producers = graph.producer_.items();
  std::vector<TensorId> all(tensor_count);
  for (std::size_t i = 0; i < tensor_count; ++i) all[i] = static_cast<TensorId>(i);
  compress(
      all, node_count, [&](TensorId t) { return index(producers[index(t)]); },
      [](TensorId t) { return t; }, graph.output_begin_, graph.output_);

  std::vector<std::pair<TensorId, NodeId>> edges;
  edges.reserve(graph.edge_head_.size());
  for (const TensorId tensor : graph.tensors())
    for (const NodeId consumer : graph.consumers(tensor)) edges.emplace_back(tensor, consumer);
  compress(
      edges, node_count, [](const auto& e) { return index(e.second); },
      [](const auto& e) { return e.first; }, graph.input_begin_, graph.input_);
  compress(
      edges, node_count, [&](const auto& e) { return index(producers[index(e.first)]); },
      [](const auto& e) { return e.second; }, graph.successor_begin_, graph.successor_);
  sort_unique(graph.successor_begin_, graph.successor_);
  compress(
      edges, node_count, [](const auto& e) { return index(e.second); },
      [&](const auto& e) { return producers[index(e.first)]; }, graph.predecessor_begin_,
      graph.predecessor_);
  sort_unique(graph.predecessor_begin_, graph.predecessor_);

  graph.topological_order_ = order_by_id(graph);
  if (graph.topological_order_.size() != node_count)
    throw Error("the graph has a cycle: " + describe_cycle(graph, graph.topological_order_));
  return graph;
}

}  // namespace berth
