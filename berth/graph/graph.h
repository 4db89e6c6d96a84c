// The computation graph: operators, the tensors they make, and who uses them.
//
// A node is an operator. It makes tensors (one per output port); an edge is one use of one tensor
// by one node. The tensor, not the edge, is what moves between devices: it is sent once to each
// device that uses it, however many consumers sit there. Seen that way the graph is a hypergraph,
// and a tensor with its producer and consumers is a net.
//
// A Graph is immutable and stored as compressed adjacency (CSR): every neighbourhood is a span.
// GraphBuilder makes it and rejects cycles, duplicate names, dangling ids, negative or non-finite
// numbers, and shared weights that their producer does not hold. Building is O(V + E).
#pragma once

#include "berth/base/enum_words.h"
#include "berth/base/id_lists.h"
#include "berth/base/units.h"

namespace berth {

enum class Pass : std::uint8_t { kForward, kBackward };
template <>
struct OptionNames<Pass> {
  static constexpr std::array values{std::pair{"forward", Pass::kForward},
                                     std::pair{"backward", Pass::kBackward}};
};

inline constexpr std::int32_t kNoGroup = -1;

struct Node {
  std::string name;               // unique in the graph; an empty name becomes the node's index
  std::string alias;              // its id in the file it came from, when that is not its name
  std::string op_type;            // "Convolution"; may be empty
  double flops = 0;               // floating-point operations of one run
  Bytes weights{};                // kept on the device all the time
  Bytes workspace{};              // needed while the node runs
  double frequency = 1;           // runs per sample (experts: below 1; unrolled loops: above 1)
  Pass pass = Pass::kForward;     // backward nodes belong to training
  std::int32_t group = kNoGroup;  // nodes of one co-location group share a device

  friend bool operator==(const Node&, const Node&) = default;
};

// What a tensor is to the memory of the devices that have it (sim/memory.h).
//   value         made by a run, given up after its last use;
//   weight        one of its producer's weights, which several nodes share: every device that uses
//                 it keeps a copy all the time, beside the producer's own;
//   gradient-sum  the gradient of such a weight so far: a node that reads one and makes the next
//                 adds its part in place.
enum class TensorRole : std::uint8_t { kValue, kWeight, kGradientSum };
template <>
struct OptionNames<TensorRole> {
  static constexpr std::array values{std::pair{"value", TensorRole::kValue},
                                     std::pair{"weight", TensorRole::kWeight},
                                     std::pair{"gradient-sum", TensorRole::kGradientSum}};
};

struct Tensor {
  Bytes size{};                     // of one run of the producer
  std::vector<std::int64_t> shape;  // empty: a scalar, or unknown
  std::string element_type;         // "f32", "f16", ...; empty: unknown
  TensorRole role = TensorRole::kValue;

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

class Graph {
 public:
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t tensor_count() const { return tensors_.size(); }
  std::size_t edge_count() const { return consumers_.item_count(); }
  IdRange<NodeId> nodes() const { return IdRange<NodeId>(node_count()); }
  IdRange<TensorId> tensors() const { return IdRange<TensorId>(tensor_count()); }

  const Node& node(NodeId node) const { return nodes_[node]; }
  const Tensor& tensor(TensorId tensor) const { return tensors_[tensor]; }

  NodeId producer(TensorId tensor) const { return producer_[tensor]; }
  // The distinct nodes that use the tensor, in the order in which the uses were added.
  std::span<const NodeId> consumers(TensorId tensor) const { return consumers_[tensor]; }
  std::span<const TensorId> outputs(NodeId node) const { return outputs_[node]; }
  std::span<const TensorId> inputs(NodeId node) const { return inputs_[node]; }
  bool is_weight(TensorId tensor) const { return tensors_[tensor].role == TensorRole::kWeight; }
  // Whether the node makes a sum of gradients, and so adds to the one that it reads in place.
  bool adds_in_place(NodeId node) const;
  // Distinct neighbours, ascending.
  std::span<const NodeId> successors(NodeId node) const { return successors_[node]; }
  std::span<const NodeId> predecessors(NodeId node) const { return predecessors_[node]; }

  // Every node after its predecessors; among the possible orders the one that follows node ids.
  std::span<const NodeId> topological_order() const { return topological_order_; }

  // The same graph with other co-location groups.
  Graph with_groups(const IdVector<NodeId, std::int32_t>& group_of) const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  friend class GraphBuilder;

  IdVector<NodeId, Node> nodes_;
  IdVector<TensorId, Tensor> tensors_;
  IdVector<TensorId, NodeId> producer_;
  IdLists<TensorId, NodeId> consumers_;
  IdLists<NodeId, TensorId> outputs_, inputs_;
  IdLists<NodeId, NodeId> successors_, predecessors_;
  std::vector<NodeId> topological_order_;
};

class GraphBuilder {
 public:
  NodeId add_node(Node node);
  TensorId add_tensor(NodeId producer, Tensor tensor);
  void add_use(TensorId tensor, NodeId consumer);  // a repeated use counts once

  // Throws Error: names the nodes of a cycle, the duplicate name, the number that is wrong.
  Graph build() &&;

 private:
  IdVector<NodeId, Node> nodes_;
  IdVector<TensorId, Tensor> tensors_;
  IdVector<TensorId, NodeId> producer_;
  std::vector<std::pair<TensorId, NodeId>> uses_;
};

}  // namespace berth
