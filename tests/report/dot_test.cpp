#include "berth/report/dot.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("nodes stand in the frame of their subgraph, and what crosses is bold with its bytes") {
  Sketch sketch("a \"small\" graph", 2);
  const NodeId a = sketch.node("a", {2000, 2}), b = sketch.node("b \\ \"b\"", {4, 4000}),
               c = sketch.node("c", {1, 1});
  sketch.tensor(a, 3, {b, c});
  sketch.tensor(b, 5, {c});
  const std::string dot = write_dot(sketch.build(), placed({0, 1, 1}));

  CHECK(dot.starts_with("digraph \"a \\\"small\\\" graph\" {"));
  CHECK(count(dot, "subgraph cluster_") == 3);  // the devices, {a}, {b, c}
  CHECK(dot.find("n0 [label=\"a\\n2.000 ms\"") != std::string::npos);
  CHECK(dot.find("n1 [label=\"b \\\\ \\\"b\\\"\\n4.000 ms\"") != std::string::npos);
  CHECK(dot.find("n0 -> n1 [penwidth=3, label=\"3 B\"];") != std::string::npos);
  CHECK(dot.find("n0 -> n2 [penwidth=3, label=\"3 B\"];") != std::string::npos);
  CHECK(dot.find("n1 -> n2;") != std::string::npos);
}

TEST_CASE("a large graph has a box for each subgraph, and one edge for a tensor between two") {
  Sketch sketch("long", 2);
  std::vector<int> device;
  std::vector<NodeId> nodes;
  for (int i = 0; i < 500; ++i) {
    nodes.push_back(sketch.node("n" + std::to_string(i), {1, 1}));
    device.push_back(i < 200 ? 0 : 1);
    if (i > 0) sketch.tensor(nodes[static_cast<std::size_t>(i) - 1], 8, {nodes.back()});
  }
  sketch.tensor(nodes[0], 7, {nodes[300], nodes[400]});
  const std::string dot = write_dot(sketch.build(), placed(device));

  CHECK(count(dot, "200 nodes") == 1);
  CHECK(count(dot, "300 nodes") == 1);
  CHECK(count(dot, "n0 -> n1") == 2);  // the chain's tensor, and the one with two receivers
  CHECK(count(dot, " -> ") == 2);
}
