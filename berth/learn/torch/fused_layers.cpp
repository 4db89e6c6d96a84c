#include "berth/learn/torch/fused_layers.h"

#include <algorithm>

namespace berth {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kNormEpsilon = 1e-5;  // LibTorch's

torch::Tensor rows_of(const torch::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

// The shape of x with another last dimension.
std::vector<std::int64_t> with_width(const torch::Tensor& x, std::int64_t width) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = width;
  return shape;
}

struct Normed {
  torch::Tensor result, mean, inverse;  // inverse of the standard deviation
};
Normed norm(const torch::Tensor& sum, const torch::Tensor& scale, const torch::Tensor& shift) {
  auto [result, mean, inverse] =
      at::native_layer_norm(sum, {sum.size(-1)}, scale, shift, kNormEpsilon);
  return {result, mean, inverse};
}

// Gradients of what was normed, of scale and of shift.
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> norm_back(
    const torch::Tensor& gradient, const torch::Tensor& sum, const torch::Tensor& mean,
    const torch::Tensor& inverse, const torch::Tensor& scale, const torch::Tensor& shift) {
  return at::native_layer_norm_backward(gradient, sum, {sum.size(-1)}, mean, inverse, scale, shift,
                                        {true, true, true});
}

struct DenseNormRelu : torch::autograd::Function<DenseNormRelu> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const torch::Tensor& scale, const torch::Tensor& shift) {
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor rows = rows_of(x), sum = at::addmm(bias, rows, weight.t());
    Normed normed = norm(sum, scale, shift);
    const torch::Tensor result = normed.result.relu_();
    context->save_for_backward(
        {rows, weight, sum, normed.mean, normed.inverse, scale, shift, result});
    return result.view(with_width(x, weight.size(0)));
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor &rows = saved[0], &weight = saved[1], &sum = saved[2];
    const torch::Tensor gradient = at::threshold_backward(rows_of(gradients[0]), saved[7], 0);
    const auto [by_sum, by_scale, by_shift] =
        norm_back(gradient, sum, saved[3], saved[4], saved[5], saved[6]);
    torch::Tensor by_x;
    if (context->needs_input_grad(0))
      by_x = at::mm(by_sum, weight).view(with_width(gradients[0], rows.size(1)));
    return {by_x, at::mm(by_sum.t(), rows), by_sum.sum(0), by_scale, by_shift};
  }
};

struct ResidualNorm : torch::autograd::Function<ResidualNorm> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const torch::Tensor& scale, const torch::Tensor& shift) {
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor rows = rows_of(x);
    const torch::Tensor sum = at::addmm(bias, rows, weight.t()).add_(rows);
    Normed normed = norm(sum, scale, shift);
    context->save_for_backward({rows, weight, sum, normed.mean, normed.inverse, scale, shift});
    return normed.result.view(x.sizes());
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor &rows = saved[0], &weight = saved[1];
    const auto [by_sum, by_scale, by_shift] =
        norm_back(rows_of(gradients[0]), saved[2], saved[3], saved[4], saved[5], saved[6]);
    return {at::addmm(by_sum, by_sum, weight).view(gradients[0].sizes()), at::mm(by_sum.t(), rows),
            by_sum.sum(0), by_scale, by_shift};
  }
};

struct MessageNorm : torch::autograd::Function<MessageNorm> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& messages, const torch::Tensor& weight,
                               const torch::Tensor& bias, const torch::Tensor& scale,
                               const torch::Tensor& shift) {
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor arrived = rows_of(messages);
    const torch::Tensor heard = at::addmm(bias, arrived, weight.t()).relu_();
    const torch::Tensor sum = at::add(heard, rows_of(x));
    Normed normed = norm(sum, scale, shift);
    context->save_for_backward(
        {arrived, weight, heard, sum, normed.mean, normed.inverse, scale, shift});
    return normed.result.view(x.sizes());
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor &arrived = saved[0], &weight = saved[1];
    const auto [by_sum, by_scale, by_shift] =
        norm_back(rows_of(gradients[0]), saved[3], saved[4], saved[5], saved[6], saved[7]);
    const torch::Tensor by_heard = at::threshold_backward(by_sum, saved[2], 0);
    return {by_sum.view(gradients[0].sizes()),
            at::mm(by_heard, weight).view(with_width(gradients[0], weight.size(1))),
            at::mm(by_heard.t(), arrived),
            by_heard.sum(0),
            by_scale,
            by_shift};
  }
};

struct EdgePairs : torch::autograd::Function<EdgePairs> {
  // Calls visit(row of u, row of v, row of the edge), all as numbers of rows, for all batches.
  static void for_edges(const torch::Tensor& first, const torch::Tensor& second, std::int64_t nodes,
                        std::int64_t batches, auto visit) {
    const std::int64_t *u = first.const_data_ptr<std::int64_t>(),
                       *v = second.const_data_ptr<std::int64_t>();
    const std::int64_t edges = first.numel();
    for (std::int64_t b = 0; b < batches; ++b)
      for (std::int64_t e = 0; e < edges; ++e)
        visit(b * nodes + u[e], b * nodes + v[e], b * edges + e);
  }

  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given,
                               const torch::Tensor& first, const torch::Tensor& second,
                               const torch::Tensor& size) {
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor z = given.contiguous();
    const bool with_ends = size.dim() == 2;  // also where there are no edges
    const std::int64_t h = z.size(-1), width = with_ends ? 3 * h + 1 : h;
    std::vector<std::int64_t> shape = with_width(z, width);
    shape[shape.size() - 2] = first.numel();
    const torch::Tensor result = at::empty(shape, z.options());
    AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "edge pairs", [&] {
      const scalar_t* from = z.const_data_ptr<scalar_t>();
      scalar_t* to = result.mutable_data_ptr<scalar_t>();
      const scalar_t* sizes = with_ends ? size.const_data_ptr<scalar_t>() : nullptr;
      for_edges(first, second, z.size(-2), z.numel() / std::max<std::int64_t>(z.size(-2) * h, 1),
                [&](std::int64_t u, std::int64_t v, std::int64_t edge) {
                  const scalar_t *zu = from + u * h, *zv = from + v * h;
                  scalar_t* row = to + edge * width;
                  if (sizes != nullptr) {
                    row = std::copy(zv, zv + h, std::copy(zu, zu + h, row));
                    row[h] = sizes[edge % first.numel()];
                  }
                  for (std::int64_t k = 0; k < h; ++k) row[k] = zu[k] * zv[k];
                });
    });
    context->save_for_backward({z, first, second});
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor &z = saved[0], gradient = gradients[0].contiguous();
    const torch::Tensor result = at::zeros_like(z);
    const std::int64_t h = z.size(-1), width = gradient.size(-1);
    AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "edge pairs", [&] {
      const scalar_t *from = z.const_data_ptr<scalar_t>(),
                     *by = gradient.const_data_ptr<scalar_t>();
      scalar_t* to = result.mutable_data_ptr<scalar_t>();
      for_edges(saved[1], saved[2], z.size(-2),
                z.numel() / std::max<std::int64_t>(z.size(-2) * h, 1),
                [&](std::int64_t u, std::int64_t v, std::int64_t edge) {
                  const scalar_t *zu = from + u * h, *zv = from + v * h, *row = by + edge * width;
                  scalar_t *du = to + u * h, *dv = to + v * h;
                  if (width > h) {
                    for (std::int64_t k = 0; k < h; ++k) du[k] += row[k];
                    for (std::int64_t k = 0; k < h; ++k) dv[k] += row[h + k];
                    row += 2 * h;
                  }
                  for (std::int64_t k = 0; k < h; ++k) du[k] += row[k] * zv[k];
                  for (std::int64_t k = 0; k < h; ++k) dv[k] += row[k] * zu[k];
                });
    });
    return {result, torch::Tensor(), torch::Tensor(), torch::Tensor()};
  }
};

struct PairLogits : torch::autograd::Function<PairLogits> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& group,
                               const torch::Tensor& device, const torch::Tensor& pair,
                               const torch::Tensor& weight, const torch::Tensor& out,
                               const torch::Tensor& offset) {
    const at::AutoDispatchBelowADInplaceOrView off;
    const std::int64_t groups = group.size(0), devices = device.size(0), h = group.size(1);
    // [G * D, h], kept: it says where the ReLU lets gradients pass.
    const torch::Tensor hidden = at::mm(pair.reshape({groups * devices, -1}), weight.t());
    hidden.view({groups, devices, h}).add_(group.unsqueeze(1)).add_(device.unsqueeze(0));
    hidden.relu_();
    context->save_for_backward({hidden, pair, weight, out});
    return at::mv(hidden, out).add_(offset).view({groups, devices});
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView off;
    const torch::Tensor &hidden = saved[0], &pair = saved[1], &weight = saved[2], &out = saved[3];
    const std::int64_t groups = gradients[0].size(0), devices = gradients[0].size(1);
    const torch::Tensor by_logit = gradients[0].reshape({-1});
    const torch::Tensor by_hidden = at::threshold_backward(at::outer(by_logit, out), hidden, 0);
    const torch::Tensor by_pair = by_hidden.view({groups, devices, -1});
    return {by_pair.sum(1),
            by_pair.sum(0),
            torch::Tensor(),
            at::mm(by_hidden.t(), pair.reshape({groups * devices, weight.size(1)})),
            at::mv(hidden.t(), by_logit),
            by_logit.sum().view({1})};
  }
};

}  // namespace

DenseNorm dense_norm(const torch::nn::Linear& dense, const torch::nn::LayerNorm& norm) {
  return {dense->weight, dense->bias, norm->weight, norm->bias};
}

torch::Tensor dense_norm_relu(const torch::Tensor& x, const DenseNorm& layer) {
  return DenseNormRelu::apply(x, layer.weight, layer.bias, layer.scale, layer.shift);
}

torch::Tensor residual_norm(const torch::Tensor& x, const DenseNorm& layer) {
  return ResidualNorm::apply(x, layer.weight, layer.bias, layer.scale, layer.shift);
}

torch::Tensor message_norm(const torch::Tensor& x, const torch::Tensor& messages,
                           const DenseNorm& layer) {
  return MessageNorm::apply(x, messages, layer.weight, layer.bias, layer.scale, layer.shift);
}

torch::Tensor edge_pairs(const torch::Tensor& z, const torch::Tensor& first,
                         const torch::Tensor& second, const torch::Tensor& size) {
  return EdgePairs::apply(z, first, second, size.defined() ? size : torch::empty({0}, z.options()));
}

torch::Tensor pair_logits(const torch::Tensor& group, const torch::Tensor& device,
                          const torch::Tensor& pair, const torch::Tensor& weight,
                          const torch::Tensor& out, const torch::Tensor& offset) {
  return PairLogits::apply(group, device, pair, weight, out, offset);
}

}  // namespace berth
