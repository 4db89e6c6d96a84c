#include "berth/learn/torch/hsdag/imitation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth {
namespace {

// The choices of each node that keep it with nodes of its device.
struct FittingChoices {
  std::vector<SparseMatrix::Entry> entries;  // (node, choice, 1), by node
  Groups groups;                             // what one draw among them connects
};

FittingChoices fitting_choices(const HsdagPolicy& policy, std::span<const float> logs,
                               const SetDevices& target, Rng& rng) {
  FittingChoices result;
  std::vector<std::uint32_t> kept(target.size(), kStays);
  for (std::size_t v = 0; v < target.size(); ++v) {
    std::vector<std::uint32_t> edges;
    std::vector<double> weight;
    for (std::int64_t c = policy.choice_begin()[v]; c < policy.choice_begin()[v + 1]; ++c) {
      const std::uint32_t edge = policy.choice_edge()[static_cast<std::size_t>(c)];
      if (edge != kStays && target[policy.edges()[edge].a] != target[policy.edges()[edge].b])
        continue;
      result.entries.push_back({static_cast<std::int64_t>(v), c, 1.0F});
      edges.push_back(edge);
      weight.push_back(std::exp(static_cast<double>(logs[static_cast<std::size_t>(c)])));
    }
    double left = rng.uniform() * std::accumulate(weight.begin(), weight.end(), 0.0);
    kept[v] = edges.back();
    for (std::size_t i = 0; i < weight.size() && left >= 0; ++i)
      if ((left -= weight[i]) < 0) kept[v] = edges[i];
  }
  result.groups = connect(policy.edges(), kept);
  return result;
}

// The device that most nodes of the group have.
std::int64_t majority(const SetGroup& group, const SetDevices& target, std::size_t devices) {
  std::vector<int> votes(devices, 0);
  for (const std::uint32_t node : group) ++votes[target[node]];
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

}  // namespace

torch::Tensor imitation_loss(HsdagPolicy& policy, const HsdagPolicy::Encoding& encoding,
                             const SetDevices& target, Rng& rng, const SetDevices* base) {
  torch::Tensor choice_loss;
  Rollouts rollout = policy.empty_rollouts();
  if (encoding.choice.defined()) {
    const FittingChoices fits = fitting_choices(policy, floats(encoding.choice), target, rng);
    const SparseMatrix sum(static_cast<std::int64_t>(target.size()), encoding.choice.numel(),
                           fits.entries);
    const torch::Tensor mass = sum(encoding.choice.exp().unsqueeze(1));
    choice_loss = -mass.clamp_min(1e-8).log().mean();
    rollout.add(fits.groups, {});
  } else {
    rollout = policy.draw_groups(encoding, 1, true, rng);
  }
  const std::int64_t devices = static_cast<std::int64_t>(policy.graph().device_count);
  std::vector<std::int64_t> wanted;  // as places in the logs
  for (std::size_t g = 0; g < rollout.groups(); ++g) {
    const SetGroup& group = rollout.members[g];
    const std::int64_t device = majority(group, target, policy.graph().device_count);
    const auto is_there = [&](std::uint32_t set) {
      return static_cast<std::int64_t>((*base)[set]) == device;
    };
    if (base != nullptr && std::all_of(group.begin(), group.end(), is_there)) continue;
    wanted.push_back(static_cast<std::int64_t>(g) * devices + device);
  }
  if (wanted.empty()) return choice_loss;
  const torch::Tensor log = policy.devices(encoding, policy.index(rollout, base)).log;
  const torch::Tensor device_loss =
      -log.reshape({-1}).index_select(0, index_tensor(wanted)).clamp_min(-20).mean();
  return choice_loss.defined() ? choice_loss + device_loss : device_loss;
}

}  // namespace berth
