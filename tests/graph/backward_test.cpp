#include "berth/graph/backward.h"

#include <optional>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace berth;

namespace {

// Names make a test read like a list of facts.
class Net {
 public:
  NodeId node(const std::string& name, const std::string& type, std::int64_t weights = 0,
              double flops = 0, std::int32_t group = kNoGroup) {
    return builder_.add_node({.name = name,
                              .alias = {},
                              .op_type = type,
                              .flops = flops,
                              .weights = Bytes{weights},
                              .group = group});
  }
  TensorId tensor(NodeId from, std::int64_t bytes, std::initializer_list<NodeId> users,
                  const std::string& type = "f32") {
    const TensorId tensor =
        builder_.add_tensor(from, {.size = Bytes{bytes}, .shape = {}, .element_type = type});
    for (const NodeId user : users) builder_.add_use(tensor, user);
    return tensor;
  }
  // A node that holds a weight and shares it.
  NodeId shared_weight(const std::string& name, std::int64_t bytes,
                       std::initializer_list<NodeId> users, const std::string& type = "f32") {
    const NodeId holder = node(name, "Constant", bytes);
    const TensorId weight = builder_.add_tensor(
        holder,
        {.size = Bytes{bytes}, .shape = {}, .element_type = type, .role = TensorRole::kWeight});
    for (const NodeId user : users) builder_.add_use(weight, user);
    return holder;
  }
  Graph build() { return std::move(builder_).build(); }

 private:
  GraphBuilder builder_;
};

std::optional<NodeId> find(const Graph& graph, const std::string& name) {
  for (const NodeId node : graph.nodes())
    if (graph.node(node).name == name) return node;
  return std::nullopt;
}

NodeId at(const Graph& graph, const std::string& name) {
  const std::optional<NodeId> found = find(graph, name);
  REQUIRE_MESSAGE(found, name);
  return *found;
}

// The names of the nodes whose tensors a node uses.
std::set<std::string> sources(const Graph& graph, const std::string& name) {
  std::set<std::string> result;
  for (const TensorId tensor : graph.inputs(at(graph, name)))
    result.insert(graph.node(graph.producer(tensor)).name);
  return result;
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("Adam keeps two moments of each weight where it is updated") {
  // One layer of 40 bytes: the update holds 2 x 40, and takes 12 operations for each 4 bytes.
  Net net;
  const NodeId layer = net.node("layer", "MatMul", 40, 100);
  net.tensor(layer, 16, {});
  const Graph forward = net.build();
  const Graph plain = with_backward_pass(forward),
              adam = with_backward_pass(forward, Optimizer::kAdam);
  const Node& update = adam.node(*find(adam, "layer/update"));
  CHECK(update.weights == Bytes{80});
  CHECK(update.flops == 120);
  CHECK(plain.node(*find(plain, "layer/update")).weights == Bytes{0});
  CHECK(plain.node(*find(plain, "layer/update")).flops == 20);
  CHECK(adam.node_count() == plain.node_count());
}

TEST_CASE("a layer gets a mirror, the gradient of its weights, and an update") {
  // first (weights 40) -> relu -> last (weights 80)
  Net net;
  const NodeId first = net.node("first", "MatMul", 40, 100), relu = net.node("relu", "Relu", 0, 10);
  const NodeId last = net.node("last", "MatMul", 80, 200);
  net.tensor(first, 16, {relu});
  net.tensor(relu, 16, {last});
  net.tensor(last, 24, {});
  const Graph graph = with_backward_pass(net.build());

  // The loss is computed at the output; the mirror of a product reads what the product read.
  CHECK(sources(graph, "last/grad") == Names{"last", "relu"});
  CHECK(sources(graph, "last/weight-grad") == Names{"last", "relu"});
  CHECK(sources(graph, "last/update") == Names{"last/weight-grad"});
  // The derivative of Relu is known from its output.
  CHECK(sources(graph, "relu/grad") == Names{"last/grad", "relu"});
  CHECK(sources(graph, "first/weight-grad") == Names{"relu/grad"});
  // Nobody asks for the gradient of the model's input.
  CHECK_FALSE(find(graph, "first/grad"));
  CHECK(graph.node_count() == 3 + 2 + 2 * 2);

  const Node& mirror = graph.node(at(graph, "last/grad"));
  CHECK(mirror.pass == Pass::kBackward);
  CHECK(mirror.flops == 200);
  CHECK(mirror.weights == Bytes{0});
  CHECK(graph.tensor(graph.outputs(at(graph, "last/grad")).front()).size == Bytes{16});
  CHECK(graph.tensor(graph.outputs(at(graph, "last/weight-grad")).front()).size == Bytes{80});
  CHECK(graph.node(at(graph, "last/update")).flops == 40);  // two per four bytes
}

TEST_CASE("forward nodes keep their ids, and all of a layer shares its group") {
  Net net;
  const NodeId a = net.node("a", "MatMul", 4, 1), b = net.node("b", "Relu", 0, 1, 5);
  net.tensor(a, 8, {b});
  net.tensor(b, 8, {});
  const Graph forward = net.build();
  const Graph graph = with_backward_pass(forward);
  for (const NodeId node : forward.nodes()) {
    CHECK(graph.node(node).name == forward.node(node).name);
    CHECK(graph.node(node).pass == Pass::kForward);
  }
  CHECK(graph.node(b).group == 5);
  CHECK(graph.node(at(graph, "b/grad")).group == 5);
  const std::int32_t group = graph.node(a).group;
  CHECK(group != 5);
  CHECK(group != kNoGroup);
  CHECK(graph.node(at(graph, "a/weight-grad")).group == group);
  CHECK(graph.node(at(graph, "a/update")).group == group);
}

TEST_CASE("gradients of a tensor with several users are added up") {
  // a is used by b and c, whose sum is the output: a residual.
  Net net;
  const NodeId a = net.node("a", "MatMul", 4, 1), b = net.node("b", "Tanh"),
               c = net.node("c", "Add");
  net.tensor(a, 8, {b, c});
  net.tensor(b, 8, {c});
  net.tensor(c, 8, {});
  const Graph graph = with_backward_pass(net.build());
  CHECK(sources(graph, "a/sum") == Names{"b/grad", "c/grad"});
  CHECK(graph.node(at(graph, "a/sum")).flops == 2);  // one addition of two floats
  CHECK(sources(graph, "a/weight-grad") == Names{"a/sum"});
  // An Add passes gradients on without looking at anything; at the output it stands for the loss.
  CHECK(sources(graph, "c/grad") == Names{"c"});
}

TEST_CASE("each operand of a product has a gradient of its own") {
  Net net;
  const NodeId a = net.node("a", "MatMul", 4, 1), b = net.node("b", "MatMul", 4, 1);
  const NodeId c = net.node("c", "Multiply", 0, 7);
  net.tensor(a, 8, {c});
  net.tensor(b, 16, {c});
  net.tensor(c, 16, {});
  const Graph graph = with_backward_pass(net.build());
  CHECK(graph.node(at(graph, "c/grad:0")).flops == 7);
  CHECK(sources(graph, "a/weight-grad") == Names{"c/grad:0"});
  CHECK(sources(graph, "b/weight-grad") == Names{"c/grad:1"});
  CHECK(sources(graph, "c/grad:0") == Names{"a", "b", "c"});
}

TEST_CASE("integers, and what nobody trains, have no gradients") {
  // ids (i64) -> embed (weights) -> out; mask has no weights behind it.
  Net net;
  const NodeId ids = net.node("ids", "Convert"), embed = net.node("embed", "Gather", 1000);
  const NodeId mask = net.node("mask", "Sigmoid"), out = net.node("out", "Add", 0, 3);
  const NodeId index = net.node("index", "TopK", 0, 3);
  net.tensor(ids, 8, {embed}, "i64");
  net.tensor(embed, 40, {out, index});
  net.tensor(mask, 40, {out});
  net.tensor(out, 40, {});
  net.tensor(index, 8, {}, "i64");
  const Graph graph = with_backward_pass(net.build());
  CHECK_FALSE(find(graph, "ids/grad"));
  CHECK_FALSE(find(graph, "mask/grad"));
  CHECK_FALSE(find(graph, "index/grad"));
  CHECK(sources(graph, "embed/weight-grad") == Names{"out/grad", "ids"});
  // A table changes in the rows that were read.
  CHECK(graph.tensor(graph.outputs(at(graph, "embed/weight-grad")).front()).size == Bytes{40});
}

TEST_CASE("a shared weight has one update, after the gradients of all its users") {
  // An unrolled cell: two steps of one group, the weight is held by the first.
  Net net;
  const NodeId one = net.node("one", "MatMul", 400, 9, 0), two = net.node("two", "MatMul", 0, 9, 0);
  net.tensor(one, 8, {two});
  net.tensor(two, 8, {});
  const Graph graph = with_backward_pass(net.build());
  CHECK(sources(graph, "one/update") == Names{"one/weight-grad", "two/weight-grad"});
  CHECK_FALSE(find(graph, "two/update"));
  CHECK(graph.tensor(graph.outputs(at(graph, "two/weight-grad")).front()).size == Bytes{0});
}

TEST_CASE("the gradients of an untied weight are summed from user to user, the last one first") {
  // Three steps of an unrolled cell that need not share a device.
  Net net;
  const NodeId one = net.node("one", "MatMul", 0, 9), two = net.node("two", "MatMul", 0, 9),
               three = net.node("three", "MatMul", 0, 9);
  net.tensor(one, 8, {two});
  net.tensor(two, 8, {three});
  net.tensor(three, 8, {});
  net.shared_weight("weight", 400, {one, two, three});
  const Graph graph = with_backward_pass(net.build(), Optimizer::kAdam);
  CHECK(sources(graph, "three/weight-grad") == Names{"three", "two", "weight"});
  CHECK(sources(graph, "two/weight-grad") ==
        Names{"three/grad", "one", "weight", "three/weight-grad"});
  CHECK(sources(graph, "one/weight-grad") == Names{"two/grad", "weight", "two/weight-grad"});
  CHECK(sources(graph, "weight/update") == Names{"one/weight-grad"});
  for (const char* part : {"one/weight-grad", "two/weight-grad", "three/weight-grad"}) {
    const TensorId sum = graph.outputs(at(graph, part)).front();
    CHECK(graph.tensor(sum).size == Bytes{400});
    CHECK(graph.tensor(sum).role == TensorRole::kGradientSum);
    CHECK(graph.node(at(graph, part)).flops == 9);
    CHECK(graph.adds_in_place(at(graph, part)));
  }
  // The gradients that go on are values of the size of what they belong to, one per step.
  CHECK(sources(graph, "three/grad") == Names{"three", "two", "weight"});
  CHECK(graph.node(at(graph, "three/grad")).flops == 9);
  CHECK_FALSE(find(graph, "one/grad"));
  // The weight is held once, the moments with its update, on its device.
  CHECK(graph.node(at(graph, "weight/update")).weights == Bytes{800});
  CHECK(graph.node(at(graph, "weight/update")).flops == 3 * 400);
  CHECK(graph.node(at(graph, "weight/update")).group == graph.node(at(graph, "weight")).group);
  CHECK(graph.node(at(graph, "one")).group != graph.node(at(graph, "two")).group);
  CHECK(graph.node_count() == 4 + 1 + 3 + 2);
}

TEST_CASE("tied and untied training keep the same weights and do the same work") {
  const auto totals = [](const Graph& graph) {
    Bytes weights{};
    double flops = 0;
    for (const NodeId node : graph.nodes()) {
      weights += graph.node(node).weights;
      flops += graph.node(node).flops;
    }
    return std::pair(weights.count, flops);
  };
  Net tied, untied;
  for (Net* net : {&tied, &untied}) {
    const bool share = net == &untied;
    const NodeId one = net->node("one", "MatMul", share ? 0 : 400, 9, share ? kNoGroup : 0);
    const NodeId two = net->node("two", "MatMul", 0, 9, share ? kNoGroup : 0);
    net->tensor(one, 8, {two});
    net->tensor(two, 8, {});
    if (share) net->shared_weight("weight", 400, {one, two});
  }
  const Graph tied_graph = tied.build(), untied_graph = untied.build();
  for (const Optimizer optimizer : {Optimizer::kSgd, Optimizer::kAdam})
    CHECK(totals(with_backward_pass(tied_graph, optimizer)) ==
          totals(with_backward_pass(untied_graph, optimizer)));
}

TEST_CASE(
    "a table that is looked up and multiplied with changes as a whole, one that is only "
    "looked up in the rows that were read") {
  Net net;
  const NodeId first = net.node("first", "Gather"), second = net.node("second", "Gather");
  const NodeId sum = net.node("sum", "Add"), words = net.node("words", "MatMul", 0, 5);
  net.tensor(first, 40, {sum});
  net.tensor(second, 40, {sum});
  net.tensor(sum, 40, {words});
  net.tensor(words, 8, {});
  net.shared_weight("lookup", 1000, {first, second}, "i8");  // trained, however it is stored
  net.shared_weight("both", 1000, {first, words});
  const Graph graph = with_backward_pass(net.build());
  const auto sums = [&](const std::string& name) {
    std::vector<std::int64_t> sizes;
    for (const TensorId made : graph.outputs(at(graph, name)))
      sizes.push_back(graph.tensor(made).size.count);
    return sizes;
  };
  CHECK(sums("words/weight-grad") == std::vector<std::int64_t>{1000});
  CHECK(sums("first/weight-grad") == std::vector<std::int64_t>{40, 1000});
  CHECK(sums("second/weight-grad") == std::vector<std::int64_t>{80});
  CHECK(graph.node(at(graph, "lookup/update")).flops == 40);  // half an operation per byte
  CHECK(graph.node(at(graph, "both/update")).flops == 500);
}
