#include "tests/audit/parts.h"

#include <algorithm>

#include "berth/base/error.h"

namespace berth::audit {
namespace {

NodeId shifted(NodeId node, std::size_t gone) {
  return index(node) > gone ? static_cast<NodeId>(index(node) - 1) : node;
}

template <class Lists>
void drop_from_lists(Lists& lists, std::size_t gone) {
  for (auto& nodes : lists) {
    std::erase(nodes, static_cast<NodeId>(gone));
    for (NodeId& node : nodes) node = shifted(node, gone);
  }
  std::erase_if(lists, [](const auto& nodes) { return nodes.size() < 2; });
}

}  // namespace

Parts::Parts(const Problem& problem)
    : cluster(problem.cluster()),
      transfers(problem.costs().transfers.source()),
      constraints(problem.constraints()),
      model(problem.model()) {
  const Graph& graph = problem.graph();
  for (const NodeId node : graph.nodes()) {
    nodes.push_back(graph.node(node));
    const std::span<const double> row = problem.costs().times.row(node);
    times.emplace_back(row.begin(), row.end());
  }
  const std::span<const double> given = problem.costs().transfers.micros();
  const std::size_t each = graph.tensor_count() == 0 ? 0 : given.size() / graph.tensor_count();
  for (const TensorId tensor : graph.tensors()) {
    Use use{index(graph.producer(tensor)), graph.tensor(tensor), {}, {}};
    for (const NodeId node : graph.consumers(tensor)) use.consumers.push_back(index(node));
    const auto from = given.begin() + static_cast<std::ptrdiff_t>(index(tensor) * each);
    use.micros.assign(from, from + static_cast<std::ptrdiff_t>(each));
    tensors.push_back(std::move(use));
  }
}

std::optional<Problem> Parts::build() const {
  if (nodes.empty() || cluster.device_count() == 0) return std::nullopt;
  try {
    GraphBuilder builder;
    for (const Node& node : nodes) builder.add_node(node);
    IdVector<TensorId, Duration> per_tensor;
    std::vector<double> per_pair;
    for (const Use& use : tensors) {
      const TensorId tensor = builder.add_tensor(static_cast<NodeId>(use.producer), use.tensor);
      for (const std::size_t node : use.consumers)
        builder.add_use(tensor, static_cast<NodeId>(node));
      if (transfers == TransferSource::kPerTensor) per_tensor.push_back(Duration{use.micros.at(0)});
      per_pair.insert(per_pair.end(), use.micros.begin(), use.micros.end());
    }
    Costs costs{.times = NodeTimes(nodes.size(), cluster.device_count()), .transfers = {}};
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (const DeviceId device : cluster.devices())
        costs.times.set(static_cast<NodeId>(n), device, Duration{times[n][index(device)]});
    if (transfers == TransferSource::kPerTensor)
      costs.transfers = TransferTimes::per_tensor(std::move(per_tensor));
    if (transfers == TransferSource::kPerTensorAndPair)
      costs.transfers =
          TransferTimes::per_tensor_and_pair(cluster.device_count(), std::move(per_pair));
    Problem problem("audit", std::move(builder).build(), cluster, std::move(costs), constraints,
                    model);
    if (problem.unplaceable()) return std::nullopt;
    return problem;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void Parts::drop_node(std::size_t node) {
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(node));
  times.erase(times.begin() + static_cast<std::ptrdiff_t>(node));
  std::erase_if(tensors, [&](const Use& use) { return use.producer == node; });
  for (Use& use : tensors) {
    std::erase(use.consumers, node);
    if (use.producer > node) --use.producer;
    for (std::size_t& user : use.consumers)
      if (user > node) --user;
  }
  for (auto* pairs : {&constraints.pin, &constraints.forbid}) {
    std::erase_if(*pairs, [&](const auto& pair) { return index(pair.node) == node; });
    for (auto& pair : *pairs) pair.node = shifted(pair.node, node);
  }
  drop_from_lists(constraints.together, node);
  drop_from_lists(constraints.apart, node);
}

void Parts::drop_device(std::size_t device) {
  const std::size_t count = cluster.device_count();
  std::vector<Device> left;
  std::vector<DeviceId> kept;
  for (const DeviceId id : cluster.devices())
    if (index(id) != device) {
      left.push_back(cluster.device(id));
      kept.push_back(id);
    }
  if (left.empty()) return;
  Cluster smaller(left);
  std::vector<ChannelId> channels;
  for (std::size_t c = 0; c < cluster.channel_count(); ++c)
    channels.push_back(smaller.add_channel(cluster.channel_name(static_cast<ChannelId>(c)) + "'"));
  for (std::size_t a = 0; a < kept.size(); ++a)
    for (std::size_t b = 0; b < kept.size(); ++b) {
      if (a == b) continue;
      const Link& link = cluster.link(kept[a], kept[b]);
      const DeviceId from = static_cast<DeviceId>(a), to = static_cast<DeviceId>(b);
      smaller.set_link_speed(from, to, link.startup, link.bytes_per_second);
      std::vector<ChannelId> renamed;
      for (const ChannelId channel : link.channels) renamed.push_back(channels[index(channel)]);
      smaller.set_link_channels(from, to, std::move(renamed));
    }
  smaller.set_network(cluster.network().startup, cluster.network().bytes_per_second);
  for (auto& row : times) row.erase(row.begin() + static_cast<std::ptrdiff_t>(device));
  if (transfers == TransferSource::kPerTensorAndPair)
    for (Use& use : tensors) {
      std::vector<double> micros;
      for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b)
          if (a != device && b != device) micros.push_back(use.micros[a * count + b]);
      use.micros = std::move(micros);
    }
  for (auto* pairs : {&constraints.pin, &constraints.forbid}) {
    std::erase_if(*pairs, [&](const auto& pair) { return index(pair.device) == device; });
    for (auto& pair : *pairs)
      if (index(pair.device) > device) pair.device = static_cast<DeviceId>(index(pair.device) - 1);
  }
  cluster = std::move(smaller);
}

}  // namespace berth::audit
