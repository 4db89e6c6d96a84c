#include "berth/sim/load_tables.h"

namespace berth {

LoadTables::LoadTables(const Problem& given)
    : problem(given),
      transfers(problem),
      devices(problem.device_count()),
      channels(problem.model().through_host() ? 0 : problem.cluster().channel_count()),
      call(problem.model().through_host()) {
  const Graph& graph = problem.graph();
  const bool apart = problem.model().halves_apart();
  for (const NodeId node : graph.nodes())
    node_half.push_back(apart && graph.node(node).pass == Pass::kBackward ? 1 : 0);
  use_begin.push_back(0);
  for (const TensorId tensor : graph.tensors()) {
    producer.push_back(static_cast<std::uint32_t>(graph.producer(tensor)));
    tensor_half.push_back(node_half[producer.back()]);
    for (const NodeId consumer : graph.consumers(tensor))
      use.push_back(static_cast<std::uint32_t>(consumer));
    use_begin.push_back(static_cast<std::uint32_t>(use.size()));
  }
  add_devices();
  linear = !transfers.depends_on_pair() && devices <= 64 && servers == 0;
  if (linear) add_flows();
}

void LoadTables::add_devices() {
  const Cluster& cluster = problem.cluster();
  channel_begin.push_back(0);
  for (const DeviceId from : problem.devices()) {
    host.push_back(cluster.device(from).is_host());
    host_of.push_back(static_cast<std::uint32_t>(cluster.host_of(from).value_or(DeviceId{0})));
    for (const DeviceId to : problem.devices()) {
      if (!call && from != to)
        for (const ChannelId channel : cluster.link(from, to).channels)
          channel_of_link.push_back(static_cast<std::uint32_t>(channel));
      channel_begin.push_back(static_cast<std::uint32_t>(channel_of_link.size()));
    }
  }
  if (!problem.counts_network()) return;
  const Servers all = cluster.servers();
  servers = all.count();
  server_of.assign(all.of.begin(), all.of.end());
  for (const TensorId tensor : problem.graph().tensors())
    network.push_back(problem.over_network(tensor).count());
}

void LoadTables::add_flows() {
  for (std::uint32_t t = 0; t < producer.size(); ++t) {
    const Flow flow = transfers.flow(static_cast<TensorId>(t));
    const std::uint32_t begin = use_begin[t], end = use_begin[t + 1];
    if (end - begin == 1)
      singles.push_back({producer[t], use[begin], tensor_half[t], flow});
    else if (end - begin == 2)
      pairs.push_back({producer[t], use[begin], use[begin + 1], tensor_half[t], flow});
    else if (end - begin > 2)
      many.push_back({producer[t], begin, end, tensor_half[t], flow});
  }
  // Equal numbers of uses side by side: the processor then guesses the length of the inner loop.
  std::ranges::stable_sort(many, {}, [](const ManyUses& uses) { return uses.end - uses.begin; });
}

}  // namespace berth
