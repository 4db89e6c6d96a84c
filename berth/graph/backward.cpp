#include "berth/graph/backward.h"

#include <unordered_map>

#include <fmt/format.h>

#include "berth/base/listed.h"

namespace berth {
namespace {

constexpr double kUpdateFlopsPerByte = 0.5;
constexpr double kAdamFlopsPerByte = 3;   // twelve for each four bytes
constexpr std::int64_t kAdamMoments = 2;  // each as large as the weights

// ---- what is known of an operator by its type ----

bool is_matrix_product(const std::string& type) {
  return is_one_of(
      type, {"MatMul", "Convolution", "GroupConvolution", "ConvolutionBackpropData",
             "GroupConvolutionBackpropData", "LSTMCell", "GRUCell", "RNNCell", "LSTMSequence",
             "GRUSequence", "RNNSequence", "ScaledDotProductAttention"});
}

bool is_product(const std::string& type) {
  return is_matrix_product(type) || is_one_of(type, {"Multiply", "Divide", "Einsum"});
}

enum class Reads { kNothing, kInputs, kOutputs };

Reads read_by_derivative(const std::string& type) {
  if (is_one_of(type, {"Relu", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Exp", "Sqrt", "Elu",
                       "Selu", "Clamp"}))
    return Reads::kOutputs;
  if (is_one_of(type, {"Add",           "Subtract",    "Negative",
                       "Reshape",       "Squeeze",     "Unsqueeze",
                       "Transpose",     "Concat",      "Split",
                       "VariadicSplit", "Slice",       "StridedSlice",
                       "Pad",           "Tile",        "Broadcast",
                       "Convert",       "AvgPool",     "AdaptiveAvgPool",
                       "ReduceSum",     "ReduceMean",  "Identity",
                       "CumSum",        "Roll",        "ShuffleChannels",
                       "DepthToSpace",  "SpaceToDepth"}))
    return Reads::kNothing;
  return Reads::kInputs;
}

// Weights are trained as real numbers, however they are stored.
bool is_real(const Tensor& tensor) {
  const std::string& type = tensor.element_type;
  if (tensor.role == TensorRole::kWeight) return true;
  return type.empty() || type.starts_with('f') || type.starts_with("bf");
}

double element_count(const Tensor& tensor) {
  if (tensor.shape.empty()) return static_cast<double>(tensor.size.count) / 4;
  double count = 1;
  for (const std::int64_t extent : tensor.shape) count *= static_cast<double>(extent);
  return count;
}

class Differentiation {
 public:
  Differentiation(const Graph& forward, Optimizer optimizer)
      : forward_(forward),
        optimizer_(optimizer),
        needs_gradient_(forward.node_count(), false),
        group_(forward.node_count()),
        update_(forward.node_count()),
        gradients_(forward.tensor_count()),
        sum_(forward.tensor_count()) {}

  Graph run() && {
    copy_forward();
    mark_what_needs_gradients();
    make_updates();
    const auto order = forward_.topological_order();
    for (auto node = order.rbegin(); node != order.rend(); ++node)
      if (needs_gradient_[*node]) differentiate(*node);
    return std::move(builder_).build();
  }

 private:
  void copy_forward() {
    std::int32_t next_group = 0;
    for (const NodeId v : forward_.nodes())
      next_group = std::max(next_group, forward_.node(v).group + 1);
    for (const NodeId v : forward_.nodes()) {
      Node node = forward_.node(v);
      if (node.group == kNoGroup) node.group = next_group++;
      group_[v] = node.group;
      builder_.add_node(std::move(node));
    }
    for (const TensorId t : forward_.tensors())
      builder_.add_tensor(forward_.producer(t), forward_.tensor(t));
    for (const TensorId t : forward_.tensors())
      for (const NodeId user : forward_.consumers(t)) builder_.add_use(t, user);
  }

  void mark_what_needs_gradients() {
    for (const NodeId v : forward_.topological_order()) {
      const bool real = std::ranges::any_of(
          forward_.outputs(v), [&](TensorId t) { return is_real(forward_.tensor(t)); });
      const bool depends =
          forward_.node(v).weights > Bytes{} ||
          std::ranges::any_of(forward_.inputs(v), [&](TensorId t) { return is_operand(t); });
      needs_gradient_[v] = real && depends;
    }
    const auto order = forward_.topological_order();
    for (auto v = order.rbegin(); v != order.rend(); ++v)
      needs_gradient_[*v] = needs_gradient_[*v] && reaches_the_loss(*v);
  }

  // Asked in reverse order: what is known of the users is final.
  bool reaches_the_loss(NodeId v) const {
    return std::ranges::any_of(forward_.outputs(v), [&](TensorId t) {
      const auto users = forward_.consumers(t);
      return is_real(forward_.tensor(t)) &&
             (users.empty() ||
              std::ranges::any_of(users, [&](NodeId user) { return needs_gradient_[user]; }));
    });
  }

  // Whether a gradient of the tensor is of use to anybody.
  bool is_operand(TensorId t) const {
    return needs_gradient_[forward_.producer(t)] && is_real(forward_.tensor(t));
  }

  NodeId add_backward(NodeId v, const std::string& suffix, std::string op_type, double flops,
                      Bytes state = {}) {
    const Node& node = forward_.node(v);
    return builder_.add_node({.name = node.name + suffix,
                              .op_type = std::move(op_type),
                              .flops = flops,
                              .weights = state,
                              .frequency = node.frequency,
                              .pass = Pass::kBackward,
                              .group = group_[v]});
  }

  // Made first: gradients of shared weights find the update of the operator that holds the weight.
  void make_updates() {
    std::unordered_map<std::int32_t, std::vector<NodeId>> holders;
    for (const NodeId v : forward_.topological_order()) {
      if (!needs_gradient_[v]) continue;
      const Node& node = forward_.node(v);
      std::vector<NodeId>& of_group = holders[group_[v]];
      if (node.weights > Bytes{}) {
        of_group.push_back(v);
        const bool adam = optimizer_ == Optimizer::kAdam;
        update_[v] = add_backward(v, "/update", "Update",
                                  (adam ? kAdamFlopsPerByte : kUpdateFlopsPerByte) *
                                      static_cast<double>(touched(v).count),
                                  Bytes{adam ? kAdamMoments * node.weights.count : 0});
      } else if (is_matrix_product(node.op_type) && forward_.inputs(v).size() == 1 &&
                 shared_weights(v).empty()) {
        const auto holder = std::find_if(of_group.rbegin(), of_group.rend(), [&](NodeId other) {
          return forward_.node(other).op_type == node.op_type;
        });
        if (holder != of_group.rend()) update_[v] = update_[*holder];
      }
    }
  }

  // The tensors of shared weights that v uses and that are trained.
  std::vector<TensorId> shared_weights(NodeId v) const {
    std::vector<TensorId> shared;
    for (const TensorId t : forward_.inputs(v))
      if (forward_.is_weight(t) && is_operand(t)) shared.push_back(t);
    return shared;
  }

  // The bytes of v's weights that one step changes.
  Bytes touched(NodeId v) const {
    Bytes by_users{};
    bool is_shared = false;
    for (const TensorId t : forward_.outputs(v)) {
      if (!forward_.is_weight(t)) continue;
      is_shared = true;
      for (const NodeId user : forward_.consumers(t))
        by_users += touched_by(user, forward_.tensor(t).size);
    }
    const Bytes weights = forward_.node(v).weights;
    return is_shared ? std::min(weights, by_users) : touched_by(v, weights);
  }
  Bytes touched_by(NodeId user, Bytes weights) const {
    if (forward_.node(user).op_type != "Gather") return weights;
    Bytes rows{};
    for (const TensorId t : forward_.outputs(user)) rows += forward_.tensor(t).size;
    return std::min(weights, rows);
  }

  void differentiate(NodeId v) {
    for (const TensorId t : forward_.outputs(v))
      if (sum_[t] && update_[v]) builder_.add_use(sum_[t]->tensor, *update_[v]);
    const std::vector<TensorId> incoming = incoming_gradients(v);
    if (incoming.empty()) return;  // a shared weight alone: it reaches the loss through its users
    make_operand_gradients(v, incoming);
    make_weight_gradient(v, incoming);
  }

  // One gradient per output that anybody differentiates; an output of the model stands for its own.
  std::vector<TensorId> incoming_gradients(NodeId v) {
    std::vector<TensorId> incoming;
    const auto outputs = forward_.outputs(v);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const TensorId t = outputs[i];
      if (!is_real(forward_.tensor(t)) || forward_.is_weight(t)) continue;
      const std::vector<TensorId>& parts = gradients_[t];
      if (parts.size() == 1) incoming.push_back(parts.front());
      if (parts.size() > 1)
        incoming.push_back(
            sum_of(v, outputs.size() > 1 ? fmt::format("/sum:{}", i) : "/sum", t, parts));
      if (parts.empty() && forward_.consumers(t).empty()) incoming.push_back(t);
    }
    return incoming;
  }

  TensorId sum_of(NodeId v, const std::string& suffix, TensorId t,
                  const std::vector<TensorId>& parts) {
    const double additions =
        static_cast<double>(parts.size() - 1) * element_count(forward_.tensor(t));
    const NodeId sum = add_backward(v, suffix, "Add", additions);
    for (const TensorId part : parts) builder_.add_use(part, sum);
    return builder_.add_tensor(sum, forward_.tensor(t));
  }

  void make_operand_gradients(NodeId v, const std::vector<TensorId>& incoming) {
    const Node& node = forward_.node(v);
    std::vector<TensorId> operands;
    for (const TensorId t : forward_.inputs(v))
      if (is_operand(t) && !forward_.is_weight(t)) operands.push_back(t);
    if (operands.empty()) return;
    const bool apart = is_product(node.op_type) && operands.size() > 1;
    std::optional<NodeId> mirror;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!mirror || apart) {
        const double gradients = apart ? 1 : static_cast<double>(operands.size());
        mirror = add_backward(v, apart ? fmt::format("/grad:{}", i) : "/grad", node.op_type,
                              node.flops * gradients);
        use_all(v, incoming, *mirror);
      }
      gradients_[operands[i]].push_back(builder_.add_tensor(*mirror, forward_.tensor(operands[i])));
    }
  }

  void make_weight_gradient(NodeId v, const std::vector<TensorId>& incoming) {
    const std::vector<TensorId> shared = shared_weights(v);
    if (!update_[v] && shared.empty()) return;
    const Node& node = forward_.node(v);
    const NodeId mirror = add_backward(v, "/weight-grad", node.op_type, node.flops);
    use_all(v, incoming, mirror);
    if (update_[v])
      builder_.add_use(builder_.add_tensor(mirror, {.size = touched(v)}), *update_[v]);
    for (const TensorId weight : shared) add_part(v, weight, mirror);
  }

  // The mirror adds v's part to the sum so far, and makes the next one.
  void add_part(NodeId v, TensorId weight, NodeId mirror) {
    const Bytes whole = forward_.tensor(weight).size;
    std::optional<GradientSum>& sum = sum_[weight];
    if (sum) builder_.add_use(sum->tensor, mirror);
    const Bytes size = std::min(whole, (sum ? sum->size : Bytes{}) + touched_by(v, whole));
    sum = {builder_.add_tensor(mirror, {.size = size, .role = TensorRole::kGradientSum}), size};
  }

  // The gradients that arrive, and what the derivative needs of the forward pass.
  void use_all(NodeId v, const std::vector<TensorId>& incoming, NodeId mirror) {
    for (const TensorId t : incoming) builder_.add_use(t, mirror);
    const Reads reads = read_by_derivative(forward_.node(v).op_type);
    if (reads == Reads::kInputs)
      for (const TensorId t : forward_.inputs(v)) builder_.add_use(t, mirror);
    if (reads == Reads::kOutputs)
      for (const TensorId t : forward_.outputs(v)) builder_.add_use(t, mirror);
  }

  struct GradientSum {
    TensorId tensor;
    Bytes size;
  };

  const Graph& forward_;
  Optimizer optimizer_;
  GraphBuilder builder_;
  IdVector<NodeId, bool> needs_gradient_;
  IdVector<NodeId, std::int32_t> group_;
  IdVector<NodeId, std::optional<NodeId>> update_;
  IdVector<TensorId, std::vector<TensorId>> gradients_;  // what users sent back for each tensor
  IdVector<TensorId, std::optional<GradientSum>> sum_;   // of each shared weight, so far
};

}  // namespace

Graph with_backward_pass(const Graph& forward, Optimizer optimizer) {
  return Differentiation(forward, optimizer).run();
}

}  // namespace berth
