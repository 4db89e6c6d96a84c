#include "berth/io/constraints_json.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/io/error_text.h"

using namespace berth;

namespace {

Graph four_nodes() {
  GraphBuilder builder;
  for (const char* name : {"layer1/conv", "layer1/relu", "layer10/conv", "head"})
    builder.add_node({.name = name});
  return std::move(builder).build();
}

const Cluster kTwo({{.name = "cpu"}, {.name = "gpu"}});

Constraints parse(const std::string& text) {
  return parse_constraints(text, "c.json", four_nodes(), kTwo);
}

}  // namespace

TEST_CASE("patterns match whole names, lists name nodes exactly") {
  const Constraints constraints = parse(R"({
    "pin": [{"nodes": "layer1/.*", "device": "gpu"}, {"nodes": ["head"], "device": "cpu"}],
    "forbid": [{"nodes": ".*conv", "device": "cpu"}],
    "together": ["layer\\d+/conv", ["head", 1]], "apart": [["head", "layer1/conv"]]})");
  using Pairs = std::vector<Constraints::NodeDevice>;
  const DeviceId cpu{0}, gpu{1};
  CHECK(constraints.pin == Pairs{{NodeId{0}, gpu}, {NodeId{1}, gpu}, {NodeId{3}, cpu}});
  CHECK(constraints.forbid == Pairs{{NodeId{0}, cpu}, {NodeId{2}, cpu}});
  CHECK(constraints.together ==
        std::vector<std::vector<NodeId>>{{NodeId{0}, NodeId{2}}, {NodeId{3}, NodeId{1}}});
  CHECK(constraints.apart == std::vector<std::vector<NodeId>>{{NodeId{3}, NodeId{0}}});
}

TEST_CASE("a pattern that matches nothing is named") {
  const auto error = [](const std::string& text) { return error_of([&] { parse(text); }); };
  CHECK(error(R"({"pin": [{"nodes": "layer2/.*", "device": "gpu"}]})") ==
        "c.json: pin[0].nodes: the pattern \"layer2/.*\" matches no node, expected at least one of "
        "4");
  CHECK(error(R"({"pin": [{"nodes": "head", "device": "tpu"}]})") ==
        "c.json: pin[0].device is the string \"tpu\", expected a device: cpu, gpu");
  CHECK(error(R"({"together": ["head", ["tail"]]})") ==
        "c.json: together[1][0] is the string \"tail\", expected the name of a node");
  CHECK(error(R"({"pin": [{"nodes": "(", "device": "gpu"}]})")
            .starts_with("c.json: pin[0].nodes: pattern \"(\": missing ) at \"(\", expected"));
  CHECK(error(R"({"pins": []})").find("unknown field \"pins\"") != std::string::npos);
  CHECK(error(R"({"apart": [".*"]})") ==
        "c.json: apart: 4 nodes must be apart from each other, but there are 2 devices");
}
