#include "berth/learn/graph_layers.h"

#include <cmath>

namespace berth {
namespace {

torch::Tensor column(const std::vector<float>& values) {
  return torch::tensor(values).unsqueeze(1);
}

torch::Tensor add_up(const torch::Tensor& x, const torch::Tensor& from, const torch::Tensor& to) {
  return torch::zeros_like(x).index_add(-2, to, x.index_select(-2, from));
}

}  // namespace

torch::Tensor index_tensor(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

GraphIndex::GraphIndex(const PolicyGraph& graph) : nodes(static_cast<std::int64_t>(graph.size())) {
  std::vector<std::int64_t> edge_from, edge_to, sym_from, sym_to;
  for (const PolicyGraph::Edge& edge : graph.edges) {
    edge_from.push_back(edge.from);
    edge_to.push_back(edge.to);
  }
  const Adjacency neighbours = undirected(graph.successors);
  std::vector<float> in, out, weight;
  const auto inverse = [](std::size_t degree) {
    return degree == 0 ? 0.0F : 1.0F / static_cast<float>(degree);
  };
  for (std::size_t v = 0; v < graph.size(); ++v) {
    in.push_back(inverse(graph.predecessors[v].size()));
    out.push_back(inverse(graph.successors[v].size()));
    const auto link = [&](std::size_t u) {
      sym_from.push_back(static_cast<std::int64_t>(u));
      sym_to.push_back(static_cast<std::int64_t>(v));
      const double degrees = static_cast<double>(neighbours[u].size() + 1) *
                             static_cast<double>(neighbours[v].size() + 1);
      weight.push_back(static_cast<float>(1.0 / std::sqrt(degrees)));
    };
    link(v);
    for (const std::uint32_t u : neighbours[v]) link(u);
  }
  from = index_tensor(edge_from);
  to = index_tensor(edge_to);
  inverse_in = column(in);
  inverse_out = column(out);
  both_from = index_tensor(sym_from);
  both_to = index_tensor(sym_to);
  both_weight = column(weight);
}

GcnImpl::GcnImpl(std::int64_t width) {
  weight_ = register_parameter("weight", torch::empty({width, width}));
  bias_ = register_parameter("bias", torch::zeros({width}));
  torch::nn::init::xavier_uniform_(weight_);
}

torch::Tensor GcnImpl::forward(const torch::Tensor& x, const GraphIndex& index) {
  const torch::Tensor sent = torch::matmul(x, weight_);
  const torch::Tensor messages = sent.index_select(-2, index.both_from) * index.both_weight;
  return torch::zeros_like(sent).index_add(-2, index.both_to, messages) + bias_;
}

DirectedImpl::DirectedImpl(std::int64_t width)
    : self_(width, width),
      predecessors_(torch::nn::LinearOptions(width, width).bias(false)),
      successors_(torch::nn::LinearOptions(width, width).bias(false)),
      norm_(torch::nn::LayerNormOptions({width})) {
  register_module("self", self_);
  register_module("predecessors", predecessors_);
  register_module("successors", successors_);
  register_module("norm", norm_);
}

torch::Tensor DirectedImpl::forward(const torch::Tensor& x, const GraphIndex& index) {
  const torch::Tensor before = add_up(x, index.from, index.to) * index.inverse_in;
  const torch::Tensor after = add_up(x, index.to, index.from) * index.inverse_out;
  return norm_(x + torch::relu(self_(x) + predecessors_(before) + successors_(after)));
}

torch::Tensor segment_log_softmax(const torch::Tensor& logits, const torch::Tensor& segment,
                                  std::int64_t segments) {
  // The largest of each segment is taken off first; it cancels, so no gradient need pass through it.
  const torch::Tensor largest =
      torch::full({segments}, -std::numeric_limits<float>::infinity(), logits.options())
          .scatter_reduce(0, segment, logits.detach(), "amax", true);
  const torch::Tensor shifted = logits - largest.index_select(0, segment);
  const torch::Tensor sums =
      torch::zeros({segments}, logits.options()).index_add(0, segment, shifted.exp());
  return shifted - sums.log().index_select(0, segment);
}

}  // namespace berth
