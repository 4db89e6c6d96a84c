#include "berth/runtime/model_problem.h"

#include <doctest/doctest.h>

#include "berth/cost/clusters.h"
#include "berth/cost/roofline.h"

using namespace berth;

namespace {

class TwoLayers final : public Model {
 public:
  TwoLayers() {
    GraphBuilder builder;
    const NodeId first = builder.add_node(
        {.name = "first", .alias = {}, .op_type = "MatMul", .flops = 1e9, .weights = Bytes{4000}});
    const NodeId second =
        builder.add_node({.name = "second", .alias = {}, .op_type = "Relu", .flops = 1e6});
    builder.add_use(
        builder.add_tensor(first, {.size = Bytes{400}, .shape = {}, .element_type = "f32"}),
        second);
    builder.add_tensor(second, {.size = Bytes{400}, .shape = {}, .element_type = "f32"});
    graph_ = std::move(builder).build();
  }
  const std::string& name() const override { return name_; }
  const Graph& graph() const override { return graph_; }
  Graph raw_graph() const override { return graph_; }

 private:
  std::string name_ = "two-layers";
  Graph graph_;
};

}  // namespace

TEST_CASE("a model becomes a problem with estimated times on the devices asked for") {
  const TwoLayers model;
  const Cluster cluster = *built_in_cluster("v100x4");
  const Problem problem = model_problem(model, cluster, false);
  CHECK(problem.name() == "two-layers");
  CHECK(problem.graph() == model.graph());
  CHECK(problem.cluster() == cluster);
  CHECK(problem.costs().times == roofline_times(model.graph(), cluster));
  CHECK(problem.model() == Concurrent{});
  CHECK_FALSE(problem.is_training());
}

TEST_CASE("training adds the backward pass, on the device of the forward one") {
  const Problem problem = model_problem(TwoLayers(), *built_in_cluster("cpu+gpu"), true);
  CHECK(problem.is_training());
  // first, second; second/grad, first/weight-grad, first/update.
  CHECK(problem.node_count() == 5);
  CHECK(problem.unit_count() == 2);
}
