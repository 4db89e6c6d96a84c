#include "berth/place/block/block.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "berth/search/bounds.h"

namespace berth {

constexpr Block::Index kElsewhere = ~Block::Index{0};

Block::Block(const Problem& problem, std::optional<NodeId> source, std::span<const NodeId> inner,
             std::optional<NodeId> sink)
    : devices_(problem.device_count()) {
  IdVector<NodeId, Index> index_of(problem.node_count(), kElsewhere);
  add_node(problem, source, false);
  for (const NodeId node : inner) add_node(problem, node, true);
  add_node(problem, sink, false);
  for (Index i = 0; i < size(); ++i)
    if (nodes_[i]) index_of[*nodes_[i]] = i;
  add_inputs(problem, index_of);
  add_stand_ins();
  add_mates(problem);
  for (Index i = 0; i < size(); ++i)
    for (const Input& input : inputs_[i]) {
      uses_[input.from].push_back({i, input});
      consumers_[input.from].push_back(i);
      for (std::size_t pair = 0; pair < devices_ * devices_; ++pair)
        longest_transfer_[input.from] =
            std::max(longest_transfer_[input.from], transfer_[input.transfer + pair]);
    }
  for (std::vector<Index>& list : consumers_)
    list.erase(std::unique(list.begin(), list.end()), list.end());
  const auto begin = time_.begin() + static_cast<std::ptrdiff_t>(devices_);
  work_weights_ =
      divisible_work({begin, time_.end() - static_cast<std::ptrdiff_t>(devices_)}, devices_).weight;
}

void Block::add_node(const Problem& problem, std::optional<NodeId> node, bool works) {
  for (const DeviceId device : problem.devices()) {
    const bool runs = node ? problem.allows(*node, device) : index(device) == 0;
    time_.push_back(!runs ? kForever.count() : works ? problem.time(*node, device).count() : 0.0);
  }
  nodes_.push_back(node);
  inputs_.emplace_back();
  uses_.emplace_back();
  consumers_.emplace_back();
  longest_transfer_.push_back(0);
}

void Block::add_inputs(const Problem& problem, const IdVector<NodeId, Index>& index_of) {
  const Graph& graph = problem.graph();
  std::map<TensorId, std::uint32_t> first_time;
  for (Index i = 1; i < size(); ++i) {
    if (!nodes_[i]) continue;
    for (const TensorId tensor : graph.inputs(*nodes_[i])) {
      const Index from = index_of[graph.producer(tensor)];
      if (from == kElsewhere) continue;
      const auto [known, is_new] =
          first_time.try_emplace(tensor, static_cast<std::uint32_t>(transfer_.size()));
      if (is_new)
        for (const DeviceId sender : problem.devices())
          for (const DeviceId to : problem.devices())
            transfer_.push_back(problem.transfer(tensor, sender, to).count());
      inputs_[i].push_back({from, known->second});
    }
  }
}

// A source or sink that is no node: everything that has no input, or no use, hangs on it.
void Block::add_stand_ins() {
  const std::uint32_t nothing = static_cast<std::uint32_t>(transfer_.size());
  transfer_.resize(transfer_.size() + devices_ * devices_, 0.0);
  std::vector<std::uint8_t> is_used(size(), 0);
  for (Index i = 1; i < size(); ++i) {
    if (inputs_[i].empty() && i != sink()) inputs_[i].push_back({source(), nothing});
    for (const Input& input : inputs_[i]) is_used[input.from] = 1;
  }
  for (Index i = 0; i < sink(); ++i)
    if (is_used[i] == 0) inputs_[sink()].push_back({i, nothing});
}

void Block::add_mates(const Problem& problem) {
  unit_.assign(size(), kAlone);
  std::map<UnitId, std::vector<Index>> members;
  for (Index i = 1; i < sink(); ++i) members[problem.unit_of(*nodes_[i])].push_back(i);
  for (auto& [unit, all] : members) {
    if (all.size() < 2) continue;
    for (const Index i : all) unit_[i] = static_cast<Index>(units_.size());
    units_.push_back(std::move(all));
  }
}

std::vector<double> Block::tails(std::size_t to) const {
  std::vector<double> tail(time_.size(), kForever.count());
  tail[sink() * devices_ + to] = 0;
  std::vector<double> rest(time_.size(), 0.0);  // after the node, on the device
  for (Index i = sink(); i > 0; --i) {
    const auto together = [&](Index other) {
      return unit_[i] != kAlone && unit_[i] == unit_[other];
    };
    for (std::size_t d = 0; i != sink() && d < devices_; ++d)
      tail[i * devices_ + d] = time(i, d) + rest[i * devices_ + d];
    for (const Input& input : inputs_[i])
      for (std::size_t from = 0; from < devices_; ++from) {
        double least = tail[i * devices_ + from];
        if (!together(input.from))
          for (std::size_t d = 0; d < devices_; ++d)
            least = std::min(least, transfer(input, from, d) + tail[i * devices_ + d]);
        double& after = rest[input.from * devices_ + from];
        after = std::max(after, least);
      }
  }
  for (std::size_t d = 0; d < devices_; ++d) tail[d] = time(0, d) + rest[d];
  return tail;
}

bool Block::same_as(const Block& other) const {
  const auto same_inputs = [&](const std::vector<Input>& a, const std::vector<Input>& b) {
    return std::ranges::equal(a, b, [](const Input& x, const Input& y) {
      return x.from == y.from && x.transfer == y.transfer;
    });
  };
  return time_ == other.time_ && transfer_ == other.transfer_ && unit_ == other.unit_ &&
         source_devices() == other.source_devices() && sink_devices() == other.sink_devices() &&
         std::ranges::equal(inputs_, other.inputs_, same_inputs);
}

}  // namespace berth
