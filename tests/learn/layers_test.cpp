// The parts that networks are made of, against the same written in LibTorch's own operations.
#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <cmath>
#include <functional>
#include <vector>

#include "berth/learn/torch/adam.h"
#include "berth/learn/torch/fused_layers.h"
#include "berth/learn/torch/policy_gradient.h"
#include "berth/learn/torch/sparse_matrix.h"

// LibTorch has a CHECK of its own, which ends the program.
#undef CHECK
#include <doctest/doctest.h>

namespace berth {
namespace {

TEST_CASE("a sparse product equals the dense one, forward and back, for batches as well") {
  torch::manual_seed(1);
  const std::vector<SparseMatrix::Entry> entries{
      {0, 2, 0.5F}, {0, 0, 2.0F}, {2, 1, -1.0F}, {2, 1, 0.25F}, {3, 3, 1.0F}};
  torch::Tensor dense = torch::zeros({4, 5}, torch::kDouble);  // the last column stays empty
  for (const SparseMatrix::Entry& entry : entries) dense[entry.row][entry.column] += entry.weight;
  const SparseMatrix sparse(4, 5, entries);
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{5, 3}, {2, 5, 3}}) {
    const torch::Tensor x = torch::randn(shape, torch::kDouble).requires_grad_();
    const torch::Tensor wanted = torch::matmul(dense, x), given = sparse(x);
    CHECK(given.allclose(wanted));
    const torch::Tensor mix = torch::randn_like(wanted);
    CHECK(torch::autograd::grad({(given * mix).sum()}, {x})[0].allclose(
        torch::autograd::grad({(wanted * mix).sum()}, {x})[0]));
  }
}

using Function = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

// Values and gradients of a block against those of the same written out.
void check_block(const Function& block, const Function& written_out,
                 const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<torch::Tensor> inputs;
  for (const std::vector<std::int64_t>& shape : shapes)
    inputs.push_back(torch::randn(shape, torch::kDouble).requires_grad_());
  const torch::Tensor given = block(inputs), wanted = written_out(inputs);
  REQUIRE(given.sizes() == wanted.sizes());
  CHECK(given.allclose(wanted));
  const torch::Tensor mix = torch::randn_like(wanted);
  const auto ours = torch::autograd::grad({(given * mix).sum()}, inputs);
  const auto theirs = torch::autograd::grad({(wanted * mix).sum()}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(i);
    REQUIRE(ours[i].sizes() == theirs[i].sizes());
    CHECK(ours[i].allclose(theirs[i]));
  }
}

torch::Tensor normed(const torch::Tensor& x, const torch::Tensor& scale,
                     const torch::Tensor& shift) {
  return torch::layer_norm(x, {x.size(-1)}, scale, shift);
}

TEST_CASE("blocks of layers give the values and gradients of the layers written out") {
  torch::manual_seed(4);
  for (const std::vector<std::int64_t>& batch : std::vector<std::vector<std::int64_t>>{{}, {2}}) {
    const auto with_batch = [&](std::vector<std::int64_t> shape) {
      shape.insert(shape.begin(), batch.begin(), batch.end());
      return shape;
    };
    check_block(
        [](const auto& t) {
          return dense_norm_relu(t[0], {t[1], t[2], t[3], t[4]});
        },
        [](const auto& t) {
          return torch::relu(normed(torch::linear(t[0], t[1], t[2]), t[3], t[4]));
        },
        {with_batch({5, 3}), {4, 3}, {4}, {4}, {4}});
    check_block(
        [](const auto& t) {
          return residual_norm(t[0], {t[1], t[2], t[3], t[4]});
        },
        [](const auto& t) { return normed(t[0] + torch::linear(t[0], t[1], t[2]), t[3], t[4]); },
        {with_batch({5, 4}), {4, 4}, {4}, {4}, {4}});
    check_block(
        [](const auto& t) {
          return message_norm(t[0], t[1], {t[2], t[3], t[4], t[5]});
        },
        [](const auto& t) {
          return normed(t[0] + torch::relu(torch::linear(t[1], t[2], t[3])), t[4], t[5]);
        },
        {with_batch({5, 4}), with_batch({5, 6}), {4, 6}, {4}, {4}, {4}});
    const torch::Tensor first = torch::tensor(std::vector<std::int64_t>{0, 0, 2});
    const torch::Tensor second = torch::tensor(std::vector<std::int64_t>{1, 3, 3});
    const torch::Tensor size = torch::randn({3, 1}, torch::kDouble);
    check_block(
        [&](const auto& t) { return edge_pairs(t[0], first, second, {}); },
        [&](const auto& t) { return t[0].index_select(-2, first) * t[0].index_select(-2, second); },
        {with_batch({4, 3})});
    check_block([&](const auto& t) { return edge_pairs(t[0], first, second, size); },
                [&](const auto& t) {
                  const torch::Tensor u = t[0].index_select(-2, first);
                  const torch::Tensor v = t[0].index_select(-2, second);
                  std::vector<std::int64_t> shape = u.sizes().vec();
                  shape.back() = 1;
                  return torch::cat({u, v, u * v, size.expand(shape)}, -1);
                },
                {with_batch({4, 3})});
  }
  const torch::Tensor pair = torch::randn({5, 2, 3}, torch::kDouble);
  check_block([&](const auto& t) { return pair_logits(t[0], t[1], pair, t[2], t[3], t[4]); },
              [&](const auto& t) {
                const torch::Tensor hidden = torch::relu(t[0].unsqueeze(1) + t[1].unsqueeze(0) +
                                                         torch::matmul(pair, t[2].t()));
                return torch::matmul(hidden, t[3]) + t[4];
              },
              {{5, 4}, {2, 4}, {4, 3}, {4}, {1}});
}

TEST_CASE("the fused optimiser steps as LibTorch's own with its clipping does") {
  torch::manual_seed(2);
  for (const bool limited : {false, true}) {
    std::vector<torch::Tensor> ours, theirs;
    for (const std::int64_t size : {3, 7, 40}) {
      ours.push_back(torch::randn({size}));
      theirs.push_back(ours.back().clone().requires_grad_());
      ours.back().requires_grad_();
    }
    const auto loss_of = [](const std::vector<torch::Tensor>& w, int step) {
      return (w[0] * w[0]).sum() + (w[1] - step).square().sum() + 5 * w[2].cos().sum();
    };
    Adam adam(ours, 0.05, limited ? std::optional(1.0) : std::nullopt);
    torch::optim::Adam reference(theirs, torch::optim::AdamOptions(0.05));
    for (int step = 0; step < 20; ++step) {
      adam.step(loss_of(ours, step));
      reference.zero_grad();
      loss_of(theirs, step).backward();
      if (limited) torch::nn::utils::clip_grad_norm_(theirs, 1.0);
      reference.step();
    }
    for (std::size_t i = 0; i < ours.size(); ++i) CHECK(ours[i].allclose(theirs[i], 1e-4, 1e-5));
  }
}

TEST_CASE("clipped gains and their gradients are those of the formula") {
  torch::manual_seed(3);
  torch::Tensor logs = torch::randn({6}, torch::kDouble).requires_grad_();
  const torch::Tensor taken = torch::tensor(std::vector<std::int64_t>{0, 1, 1, 3, 4, 5, 5, 2});
  const torch::Tensor old =
      logs.detach().index_select(0, taken) + 0.4 * torch::randn({8}, torch::kDouble);
  const torch::Tensor weight = torch::randn({8}, torch::kDouble);
  const torch::Tensor given = clipped_gain(logs, taken, old, weight, 0.2);
  const torch::Tensor ratio = (logs.index_select(0, taken) - old).exp();
  const torch::Tensor wanted = torch::min(ratio * weight, ratio.clamp(0.8, 1.2) * weight).mean();
  CHECK(given.item<double>() == doctest::Approx(wanted.item<double>()));
  CHECK(torch::autograd::grad({given}, {logs})[0].allclose(
      torch::autograd::grad({wanted}, {logs})[0]));
}

TEST_CASE("advantages compare a rollout with the others, and a placement that overflows is worse") {
  // Mean of the others: 2.5, 2, 1.5; standard deviation sqrt(2 / 3).
  const std::vector<double> given = advantages(std::vector<double>{1, 2, 3});
  const double deviation = std::sqrt(2.0 / 3) + 1e-3;
  CHECK(given[0] == doctest::Approx(-1.5 / deviation));
  CHECK(given[1] == doctest::Approx(0));
  CHECK(given[2] == doctest::Approx(1.5 / deviation));
  CHECK(ranks(std::vector<double>{-9, 2, 2, 3, 7}) ==
        std::vector<double>{-1, -0.25, -0.25, 0.5, 1});
  CHECK(ranks(std::vector<double>{5}) == std::vector<double>{0});
  CHECK(discounted(std::vector<double>{2, 4}, 0.5) == std::vector<double>{1, 1});
  CHECK(log_reward({Duration{50}, 0}, Duration{100}) == doctest::Approx(std::log(2)));
  CHECK(log_reward({Duration{50}, 0.5}, Duration{100}) == doctest::Approx(-3 + std::log(2)));
  CHECK(inverse_reward({Duration{500}, 0}) == doctest::Approx(2000));
  CHECK(inverse_reward({Duration{500}, 0.1}) == doctest::Approx(1e-10));
}

}  // namespace
}  // namespace berth

#endif
