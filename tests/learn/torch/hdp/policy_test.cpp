#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "berth/learn/torch/hdp/policy.h"
#include "tests/learn/torch/check_gradients.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

HdpOptions small() {
  HdpOptions options;
  options.hidden = 4;
  options.attention = 2;
  options.grouper = 3;
  return options;
}

// Six nodes, no edges; the even ones run only on the first device, the odd ones only on the second.
Problem disjoint() {
  Sketch sketch("disjoint", 2, 1);
  for (int i = 0; i < 6; ++i)
    sketch.node(fmt::format("n{}", i), {i % 2 == 0 ? 1 : kNever, i % 2 == 0 ? kNever : 1});
  return sketch.build();
}

TEST_CASE("a group that no device runs whole still gives every set a device that runs it") {
  const Task task(disjoint(), Colocation::kUnits, 1);
  HdpOptions options = small();
  options.groups = 2;
  HdpPolicy policy(options, task, 3);
  for (const SetDevices& devices : policy.draw(40, Rng(1)).placements)
    CHECK(devices == SetDevices{0, 1, 0, 1, 0, 1});
}

// Eight nodes in a row on four equal devices.
Problem chain() {
  Sketch sketch("chain", 4, 1);
  NodeId last = sketch.node("n0", {1, 1, 1, 1});
  for (int i = 1; i < 8; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), {1, 1, 1, 1});
    sketch.tensor(last, 1, {node});
    last = node;
  }
  return sketch.build();
}

TEST_CASE("sets of one group share a device") {
  const Task task(chain(), Colocation::kUnits, 1);
  HdpOptions options = small();
  options.groups = 1;
  HdpPolicy one(options, task, 3);
  std::set<SetDevices> seen;
  for (const SetDevices& devices : one.draw(40, Rng(1)).placements) {
    CHECK(devices == SetDevices(8, devices.front()));
    seen.insert(devices);
  }
  CHECK(seen.size() == 4);

  // With two groups there are at most two devices at a time.
  options.groups = 2;
  HdpPolicy two(options, task, 3);
  for (const SetDevices& devices : two.draw(40, Rng(1)).placements)
    CHECK(std::set<std::uint32_t>(devices.begin(), devices.end()).size() <= 2);
}

TEST_CASE("there are at most so many groups for each device, and no more than sets") {
  const Task task(chain(), Colocation::kUnits, 1);
  HdpOptions options = small();
  const auto groups = [&] {
    HdpPolicy policy(options, task, 3);
    return policy.named_parameters()["grouper2.weight"].size(0);
  };
  CHECK(groups() == 8);
  options.groups_per_device = 1;
  CHECK(groups() == 4);
  options.groups = 3;
  CHECK(groups() == 3);
  options.groups_per_device = 0;
  CHECK(groups() == 3);
}

TEST_CASE("grouper and placer learn together: the gradient of log p reaches and fits all of both") {
  torch::set_num_threads(1);
  const Task task(chain(), Colocation::kUnits, 1);
  HdpPolicy policy(small(), task, 3);
  const torch::Tensor mix = torch::tensor({1.0F, -2.0F, 0.5F, 3.0F, 1.5F});
  (policy.draw(5, Rng(2)).log * mix).sum().backward();
  for (const auto& item : policy.named_parameters()) {
    CAPTURE(item.key());
    CHECK(item.value().grad().abs().max().item<double>() > 0);
  }
  // A small step along one parameter of the grouper changes log p as its gradient says: the same
  // draws follow as long as no probability passes a drawn number.
  torch::Tensor bias = policy.named_parameters()["grouper2.bias"];
  const double slope = bias.grad()[0].item<double>();
  const torch::NoGradGuard off;
  const auto value = [&](double step) {
    bias[0] += step;
    const double sum = (policy.draw(5, Rng(2)).log * mix).sum().item<double>();
    bias[0] -= step;
    return sum;
  };
  constexpr double kStep = 1e-2;
  CHECK((value(kStep) - value(-kStep)) / (2 * kStep) == doctest::Approx(slope).epsilon(0.01));
}

}  // namespace
}  // namespace berth

#endif
