#include "bench/hsdag/setting.h"

#include "berth/cost/clusters.h"
#include "berth/cost/fit_roofline.h"
#include "berth/learn/policy_graph.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/runtime.h"

namespace berth::bench {
namespace {

// Times do not matter to co-location.
PolicyGraph colocated(Graph graph) {
  const std::size_t nodes = graph.node_count();
  return policy_graph(Problem("file", std::move(graph), Cluster({{.name = "cpu"}, {.name = "gpu"}}),
                              {NodeTimes(nodes, 2), {}}));
}

}  // namespace

const std::array<Network, 3>& networks() {
  static const std::array<Network, 3> all{Network{"inception-v3",
                                                  "zoo:inception-v3",
                                                  {.nodes = 728,
                                                   .edges = 764,
                                                   .cpu = 12.8,
                                                   .gpu = 12.0,
                                                   .openvino_cpu = 12.8,
                                                   .openvino_gpu = 13.8,
                                                   .hsdag = 10.5,
                                                   .without_shape = 11.7,
                                                   .without_index = 11.7,
                                                   .without_structure = 10.9,
                                                   .search_seconds = 2454}},
                                          Network{"resnet-50",
                                                  "zoo:resnet-50",
                                                  {.nodes = 396,
                                                   .edges = 411,
                                                   .cpu = 16.0,
                                                   .gpu = 7.81,
                                                   .openvino_cpu = 23.4,
                                                   .openvino_gpu = 8.76,
                                                   .hsdag = 7.66,
                                                   .without_shape = 7.68,
                                                   .without_index = 7.68,
                                                   .without_structure = 7.66,
                                                   .search_seconds = 1047}},
                                          Network{"bert-base",
                                                  "zoo:bert-base(length=24)",
                                                  {.nodes = 1009,
                                                   .edges = 1071,
                                                   .cpu = 6.38,
                                                   .gpu = 2.77,
                                                   .openvino_cpu = 6.57,
                                                   .openvino_gpu = 2.84,
                                                   .hsdag = 2.67,
                                                   .without_shape = 2.78,
                                                   .without_index = 2.79,
                                                   .without_structure = 2.68,
                                                   .search_seconds = 2765}}};
  return all;
}

Setting setting_of(const Network& network) {
  const std::unique_ptr<Model> model =
      openvino_runtime().open({.spec = network.spec, .batch = {}, .shapes = {}, .values = false});
  const Graph raw = model->raw_graph();
  const PolicyGraph sets = colocated(raw);
  const std::array totals{Duration{1000 * network.published.cpu},
                          Duration{1000 * network.published.gpu}};
  const Cluster cluster = fit_roofline(model->graph(), *built_in_cluster("i9+flex170"), totals);
  const Problem problem = model_problem(*model, cluster, false);
  return {.network = network,
          .file_nodes = raw.node_count(),
          .file_edges = raw.edge_count(),
          .colocated_nodes = sets.size(),
          .colocated_edges = sets.edges.size(),
          .sequential = problem.with_model(Sequential{}),
          .concurrent = problem.with_model(Concurrent{})};
}

}  // namespace berth::bench
