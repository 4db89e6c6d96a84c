#include "berth/learn/torch/graph_layers.h"

#include <algorithm>
#include <cmath>

#include "berth/learn/torch/fused_layers.h"

namespace berth {
namespace {

SparseMatrix arriving_messages(const PolicyGraph& graph) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    const std::int64_t row = 3 * static_cast<std::int64_t>(v);
    entries.push_back({row, static_cast<std::int64_t>(v), 1.0F});
    const auto mean_over = [&](std::int64_t to, const std::vector<std::uint32_t>& neighbours) {
      for (const std::uint32_t u : neighbours)
        entries.push_back({to, u, 1.0F / static_cast<float>(neighbours.size())});
    };
    mean_over(row + 1, graph.predecessors[v]);
    mean_over(row + 2, graph.successors[v]);
  }
  const std::int64_t nodes = static_cast<std::int64_t>(graph.size());
  return SparseMatrix(3 * nodes, nodes, entries);
}

SparseMatrix normalised_with_loops(const Adjacency& neighbours) {
  std::vector<SparseMatrix::Entry> entries;
  const auto degree = [&](std::size_t v) { return static_cast<double>(neighbours[v].size() + 1); };
  for (std::size_t v = 0; v < neighbours.size(); ++v) {
    const auto link = [&](std::size_t u) {
      entries.push_back({static_cast<std::int64_t>(v), static_cast<std::int64_t>(u),
                         static_cast<float>(1.0 / std::sqrt(degree(u) * degree(v)))});
    };
    link(v);
    for (const std::uint32_t u : neighbours[v]) link(u);
  }
  const std::int64_t nodes = static_cast<std::int64_t>(neighbours.size());
  return SparseMatrix(nodes, nodes, entries);
}

// One pass instead of a chain of eight operations on a few hundred numbers.
struct SegmentLogSoftmax : torch::autograd::Function<SegmentLogSoftmax> {
  // Calls visit(first of the segment, one past its last) for all segments of all rows.
  static void for_segments(const torch::Tensor& x, const torch::Tensor& begin, auto visit) {
    const std::int64_t* at = begin.const_data_ptr<std::int64_t>();
    const std::int64_t length = x.size(-1);
    for (std::int64_t row = 0; row < x.numel(); row += length)
      for (std::int64_t s = 0; s + 1 < begin.numel(); ++s) visit(row + at[s], row + at[s + 1]);
  }

  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& given, const torch::Tensor& begin) {
    const torch::Tensor logits = given.contiguous();
    const torch::Tensor result = torch::empty_like(logits);
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "segment softmax", [&] {
      const scalar_t* x = logits.const_data_ptr<scalar_t>();
      scalar_t* y = result.mutable_data_ptr<scalar_t>();
      for_segments(logits, begin, [&](std::int64_t first, std::int64_t end) {
        if (first == end) return;
        const scalar_t largest = *std::max_element(x + first, x + end);
        scalar_t sum = 0;
        for (std::int64_t i = first; i < end; ++i) sum += std::exp(x[i] - largest);
        const scalar_t offset = largest + std::log(sum);
        for (std::int64_t i = first; i < end; ++i) y[i] = x[i] - offset;
      });
    });
    context->save_for_backward({result, begin});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const torch::Tensor given = gradients[0].contiguous();
    const torch::Tensor result = torch::empty_like(given);
    AT_DISPATCH_FLOATING_TYPES(given.scalar_type(), "segment softmax", [&] {
      const scalar_t* logs = saved[0].const_data_ptr<scalar_t>();
      const scalar_t* g = given.const_data_ptr<scalar_t>();
      scalar_t* to = result.mutable_data_ptr<scalar_t>();
      for_segments(given, saved[1], [&](std::int64_t first, std::int64_t end) {
        scalar_t sum = 0;
        for (std::int64_t i = first; i < end; ++i) sum += g[i];
        for (std::int64_t i = first; i < end; ++i) to[i] = g[i] - std::exp(logs[i]) * sum;
      });
    });
    return {result, torch::Tensor()};
  }
};

}  // namespace

GraphIndex::GraphIndex(const PolicyGraph& graph)
    : nodes(static_cast<std::int64_t>(graph.size())),
      arriving(arriving_messages(graph)),
      both(normalised_with_loops(undirected(graph.successors))) {}

GcnImpl::GcnImpl(std::int64_t width) {
  weight_ = register_parameter("weight", torch::empty({width, width}));
  bias_ = register_parameter("bias", torch::zeros({width}));
  torch::nn::init::xavier_uniform_(weight_);
}

torch::Tensor GcnImpl::forward(const torch::Tensor& x, const GraphIndex& index) {
  return index.both(torch::matmul(x, weight_)) + bias_;
}

DirectedImpl::DirectedImpl(std::int64_t width)
    : dense_(3 * width, width), norm_(torch::nn::LayerNormOptions({width})) {
  register_module("dense", dense_);
  register_module("norm", norm_);
  // As three layers side by side, each of its own inputs.
  const double bound = 1 / std::sqrt(static_cast<double>(width));
  torch::nn::init::uniform_(dense_->weight, -bound, bound);
  torch::nn::init::uniform_(dense_->bias, -bound, bound);
}

torch::Tensor DirectedImpl::forward(const torch::Tensor& x, const GraphIndex& index) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() *= 3;
  return message_norm(x, index.arriving(x).view(shape), dense_norm(dense_, norm_));
}

torch::Tensor segment_log_softmax(const torch::Tensor& logits, const torch::Tensor& begin) {
  return SegmentLogSoftmax::apply(logits, begin);
}

}  // namespace berth
