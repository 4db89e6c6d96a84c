#include "berth/report/summary.h"

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/report/table.h"
#include "berth/sim/crossings.h"

namespace berth {
namespace {

// Files that give times of transfers often have no sizes.
std::string size_text(Bytes size) { return size > Bytes{0} ? bytes_text(size) : "-"; }

// "12%" of the value; nothing when there is no value to compare with.
std::string share_text(Duration part, Duration whole) {
  return whole > Duration{0} && whole < kForever ? fmt::format("{:.0f}%", 100 * (part / whole))
                                                 : "-";
}

}  // namespace

std::string problem_text(const Problem& problem) {
  std::string text = fmt::format(
      "{}, {}, {}; {}, {} execution", plural(problem.node_count(), "node"),
      plural(problem.graph().edge_count(), "edge"), plural(problem.device_count(), "device"),
      to_string(problem.objective()), words_of(problem.model()).execution);
  if (problem.is_training()) text += ", training";
  if (problem.model().contiguous()) text += ", contiguous";
  if (const int most = problem.model().max_subgraphs; most > 0)
    text += fmt::format(", at most {}", plural(static_cast<std::size_t>(most), "subgraph"));
  return text;
}

IdVector<DeviceId, std::size_t> nodes_per_device(const Problem& problem,
                                                 const Placement& placement) {
  IdVector<DeviceId, std::size_t> count(problem.device_count(), 0);
  for (const DeviceId device : placement.device_of) ++count[device];
  return count;
}

std::string devices_text(const Problem& problem, const Placement& placement,
                         const Simulation& simulation) {
  const auto nodes = nodes_per_device(problem, placement);
  const auto nodes_text = [&](DeviceId device) {
    for (const Replica& replica : placement.replicas)
      if (replica.device == device) return "as " + problem.device_name(replica.of);
    return count_text(nodes[device]);
  };
  Table table({"device", right("nodes"), right("load ms"), right("share"), right("peak memory"),
               right("limit")});
  for (const DeviceId device : problem.devices())
    table.add_row({problem.device_name(device), nodes_text(device),
                   milliseconds_text(simulation.load[device]),
                   share_text(simulation.load[device], simulation.value),
                   bytes_text(simulation.memory[device].peak()),
                   bytes_text(problem.cluster().device(device).memory)});
  if (simulation.network.empty()) return table.text();
  const Servers servers = problem.cluster().servers();
  Table network({"server", right("devices"), right("network ms"), right("share")});
  for (std::size_t s = 0; s < servers.count(); ++s)
    network.add_row({servers.names[s],
                     count_text(std::count(servers.of.begin(), servers.of.end(), s)),
                     milliseconds_text(simulation.network[s]),
                     share_text(simulation.network[s], simulation.value)});
  return table.text() + "\n" + network.text();
}

Bottleneck bottleneck(const Problem& problem, const Simulation& simulation) {
  Bottleneck result;
  for (const DeviceId device : problem.devices())
    if (result.name.empty() || simulation.load[device] > result.load)
      result = {"device", problem.device_name(device), simulation.load[device]};
  for (const ChannelId channel : simulation.traffic.ids())
    if (simulation.traffic[channel] > result.load)
      result = {"channel", problem.cluster().channel_name(channel), simulation.traffic[channel]};
  const Servers servers = problem.cluster().servers();
  for (std::size_t s = 0; s < simulation.network.size(); ++s)
    if (simulation.network[s] > result.load)
      result = {"server", servers.names[s], simulation.network[s]};
  return result;
}

std::string bottleneck_text(const Problem& problem, const Simulation& simulation) {
  const Bottleneck busiest = bottleneck(problem, simulation);
  return fmt::format("bottleneck: {} {}, busy {} ({})\n", busiest.kind, busiest.name,
                     time_text(busiest.load), share_text(busiest.load, simulation.value));
}

std::string crossings_text(const Problem& problem, const Placement& placement,
                           const Simulation& simulation, std::size_t worst) {
  std::string text = fmt::format("{}, {}", plural(simulation.subgraphs, "subgraph"),
                                 plural(simulation.crossings, "crossing"));
  if (simulation.crossing_bytes > Bytes{0}) text += ", " + bytes_text(simulation.crossing_bytes);
  text += "\n";
  const std::vector<Crossing> all = crossings(problem, placement);
  if (all.empty() || worst == 0) return text;
  Table table({"longest crossings: output of", "from", "to", right("size"), right("time ms"),
               right("users")});
  for (const Crossing& crossing : all) {
    if (table.row_count() == worst) break;
    const NodeId producer = problem.graph().producer(crossing.tensor);
    table.add_row({shortened(problem.node_name(producer), 40), problem.device_name(crossing.from),
                   problem.device_name(crossing.to), size_text(crossing.size),
                   milliseconds_text(crossing.time), count_text(crossing.uses)});
  }
  return text + "\n" + table.text();
}

std::string memory_text(const Problem& problem, const Simulation& simulation) {
  Table table({"memory at the peak", right("weights"), right("activations"), right("buffers"),
               right("workspace"), right("peak"), right("limit"), right("free"), right("at ms")});
  for (const DeviceId id : problem.devices()) {
    const Device& device = problem.cluster().device(id);
    const MemoryUse& use = simulation.memory[id];
    table.add_row({device.name, bytes_text(use.weights), bytes_text(use.activations),
                   bytes_text(use.buffers), bytes_text(use.workspace), bytes_text(use.peak()),
                   bytes_text(device.memory),
                   device.memory ? bytes_text(*device.memory - use.peak()) : "-",
                   milliseconds_text(use.moment)});
  }
  return table.text();
}

std::string gap_text(const Result& result) {
  if (result.proven_optimal) return result.contiguous ? "contiguous optimum" : "optimal";
  if (!result.gap()) return result.lower_bound && result.contiguous ? "contiguous bound" : "-";
  return percent_text(*result.gap()) + (result.contiguous ? " of contiguous" : "");
}

std::vector<std::string> placement_warnings(const Problem& problem, const Placement& placement) {
  auto nodes = nodes_per_device(problem, placement);
  for (const Replica& replica : placement.replicas) nodes[replica.device] = nodes[replica.of];
  std::vector<std::string> idle;
  for (const DeviceId device : problem.devices())
    if (nodes[device] == 0) idle.push_back(problem.device_name(device));
  if (idle.empty()) return {};
  return {fmt::format("{} {} idle: no node is placed there", fmt::join(idle, ", "),
                      idle.size() == 1 ? "is" : "are")};
}

}  // namespace berth
