// berth zoo: the networks that berth builds itself, and the parameters of one.

#include "berth/base/fail.h"
#include "berth/runtime/runtime.h"
#include "cli/commands.h"
#include "cli/option_help.h"

namespace berth {
namespace {

struct ZooOptions {
  std::string name;
  bool json = false;
};

// What a network weighs with its default parameters.
struct Size {
  std::size_t nodes = 0, raw_nodes = 0, raw_edges = 0;
  double flops = 0;
  Bytes weights{};
};

Size size_of(const ZooNetwork& network) {
  const std::unique_ptr<Model> model =
      openvino_runtime().open({.spec = "zoo:" + network.name, .batch = {}, .values = false});
  const Graph raw = model->raw_graph();
  Size size{.nodes = model->graph().node_count(),
            .raw_nodes = raw.node_count(),
            .raw_edges = raw.edge_count()};
  for (const NodeId node : model->graph().nodes()) {
    size.flops += model->graph().node(node).flops;
    size.weights += model->graph().node(node).weights;
  }
  return size;
}

// Weights are stored in two bytes each.
std::int64_t parameters(const Size& size) { return size.weights.count / 2; }

std::string as_json(const std::vector<ZooNetwork>& networks) {
  return json_object([&](JsonWriter& json) {
    json.objects("networks", networks, 1, [&](const ZooNetwork& network) {
      const Size size = size_of(network);
      json.member("name", network.name);
      json.member("summary", network.summary);
      json.member("nodes", size.nodes);
      json.member("file_nodes", size.raw_nodes);
      json.member("file_edges", size.raw_edges);
      json.member("flops", size.flops);
      json.member("parameters", parameters(size));
      json.member("weight_bytes", size.weights);
      write_option_help(json, network.options);
    });
  });
}

void print_table(const std::vector<ZooNetwork>& networks) {
  Table table({"network", "what it is", right("nodes"), right("file nodes/edges"), right("GFLOP"),
               right("parameters"), right("weights")});
  for (const ZooNetwork& network : networks) {
    const Size size = size_of(network);
    table.add_row({network.name, network.summary, count_text(size.nodes),
                   fmt::format("{}/{}", size.raw_nodes, size.raw_edges),
                   fmt::format("{:.2f}", size.flops / 1e9),
                   fmt::format("{:.1f} M", static_cast<double>(parameters(size)) / 1e6),
                   bytes_text(size.weights)});
  }
  fmt::print(
      "{}\nused as zoo:NAME or zoo:NAME(key=value,...); berth zoo NAME explains the options\n",
      table.text());
}

void print_network(const ZooNetwork& network) {
  const OptionHelp& first = network.options.front();
  fmt::print("{}: {}\n\n{}\nused as 'zoo:{}({}={})'\n", network.name, network.summary,
             option_table(network.options), network.name, first.key, first.value);
}

int zoo(const ZooOptions& options) {
  std::vector<ZooNetwork> networks = openvino_runtime().zoo();
  if (!options.name.empty()) {
    std::erase_if(networks, [&](const ZooNetwork& one) { return one.name != options.name; });
    if (networks.empty()) fail("no network is called '{}' (see berth zoo)", options.name);
  }
  if (options.json)
    fmt::print("{}", as_json(networks));
  else if (options.name.empty())
    print_table(networks);
  else
    print_network(networks.front());
  return kDone;
}

}  // namespace

void add_zoo(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "zoo", "the networks in the box, and their parameters", zoo);
  option(verb, "NAME", options.name, "only this network, with its options", "");
  verb.add_flag("--json", options.json, "print one JSON object");
}

}  // namespace berth
