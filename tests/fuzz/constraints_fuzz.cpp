#include "berth/io/constraints_json.h"
#include "tests/fuzz/read_input.h"

namespace {

berth::Graph some_nodes() {
  berth::GraphBuilder builder;
  for (const char* name : {"layer1/conv", "layer1/relu", "layer10/conv", "head", "a", ""})
    builder.add_node({.name = name});
  return std::move(builder).build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const berth::Graph graph = some_nodes();
  static const berth::Cluster cluster({{.name = "cpu"}, {.name = "gpu"}});
  return berth::feed(data, size, [](std::string_view text) {
    berth::parse_constraints(text, "input", graph, cluster);
  });
}
