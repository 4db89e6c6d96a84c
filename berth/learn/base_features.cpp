#include "berth/learn/base_features.h"

#include <algorithm>
#include <numeric>

namespace berth {
namespace {

struct Incident {
  std::uint32_t other;
  double bytes;
};

std::vector<std::vector<Incident>> incident_edges(const PolicyGraph& graph) {
  std::vector<std::vector<Incident>> result(graph.size());
  for (const PolicyGraph::Edge& edge : graph.edges) {
    result[edge.from].push_back({edge.to, edge.bytes});
    result[edge.to].push_back({edge.from, edge.bytes});
  }
  return result;
}

}  // namespace

std::vector<BaseFeatures> base_features(const PolicyGraph& graph, std::span<const SetGroup> groups,
                                        const SetDevices& base) {
  const std::size_t devices = graph.device_count;
  const auto work = [&](std::size_t set) { return graph.micros[set * devices + base[set]]; };
  const std::vector<std::vector<Incident>> incident = incident_edges(graph);
  std::vector<double> load(devices, 0.0);
  for (std::size_t set = 0; set < graph.size(); ++set) load[base[set]] += work(set);
  const double all = std::max(std::accumulate(load.begin(), load.end(), 0.0), 1e-9);

  std::vector<BaseFeatures> result;
  std::vector<std::size_t> group_of(graph.size(), groups.size());
  std::vector<double> here(devices), traffic(devices), own(devices);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::vector<double>* sums : {&here, &traffic, &own}) sums->assign(devices, 0.0);
    for (const std::uint32_t set : groups[g]) group_of[set] = g;
    double sent = 1e-9;
    for (const std::uint32_t set : groups[g]) {
      here[base[set]] += 1.0 / static_cast<double>(groups[g].size());
      own[base[set]] += work(set);
      for (const Incident& edge : incident[set]) {
        if (group_of[edge.other] == g) continue;
        traffic[base[edge.other]] += edge.bytes;
        sent += edge.bytes;
      }
    }
    for (std::size_t d = 0; d < devices; ++d)
      result.push_back({static_cast<float>(here[d]), static_cast<float>(traffic[d] / sent),
                        static_cast<float>(std::max(load[d] - own[d], 0.0) / all)});
  }
  return result;
}

}  // namespace berth
