// berth zoo: the networks that berth builds itself, and the parameters of one.

#include <memory>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/text.h"
#include "berth/io/json_writer.h"
#include "berth/report/table.h"
#include "berth/runtime/runtime.h"
#include "cli/commands.h"

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

void write_network(JsonWriter& json, const ZooNetwork& network) {
  const Size size = size_of(network);
  json.line(1);
  json.open_object();
  json.member("name", network.name);
  json.member("summary", network.summary);
  json.member("nodes", size.nodes);
  json.member("file_nodes", size.raw_nodes);
  json.member("file_edges", size.raw_edges);
  json.member("flops", size.flops);
  json.member("parameters", parameters(size));
  json.member("weight_bytes", size.weights.count);
  json.key("options");
  json.open_array();
  for (const OptionHelp& option : network.options) {
    json.line(2);
    json.open_object();
    json.member("key", option.key);
    json.member("default", option.value);
    json.member("meaning", option.meaning);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void print_json(const std::vector<ZooNetwork>& networks) {
  JsonWriter json;
  json.open_object();
  json.key("networks");
  json.open_array();
  for (const ZooNetwork& network : networks) write_network(json, network);
  json.close_array();
  json.close_object();
  fmt::print("{}", std::move(json).finish());
}

void print_table(const std::vector<ZooNetwork>& networks) {
  Table table({{"network"},
               {"what it is"},
               {"nodes", Align::kRight},
               {"file nodes/edges", Align::kRight},
               {"GFLOP", Align::kRight},
               {"parameters", Align::kRight},
               {"weights", Align::kRight}});
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
  fmt::print("{}: {}\n", network.name, network.summary);
  Table table({{"option"}, {"default"}, {"meaning"}});
  for (const OptionHelp& option : network.options)
    table.add_row({option.key, option.value, option.meaning});
  fmt::print("\n{}\nused as 'zoo:{}({}={})'\n", table.text(), network.name,
             network.options.front().key, network.options.front().value);
}

int zoo(const ZooOptions& options) {
  std::vector<ZooNetwork> networks = openvino_runtime().zoo();
  if (!options.name.empty()) {
    std::erase_if(networks, [&](const ZooNetwork& one) { return one.name != options.name; });
    if (networks.empty())
      throw Error(fmt::format("no network is called '{}' (see berth zoo)", options.name));
  }
  if (options.json)
    print_json(networks);
  else if (options.name.empty())
    print_table(networks);
  else
    print_network(networks.front());
  return kDone;
}

}  // namespace

void add_zoo(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ZooOptions>();
  CLI::App& verb = *app.add_subcommand("zoo", "the networks in the box, and their parameters");
  verb.add_option("NAME", options->name, "only this network, with its options")->type_name("");
  verb.add_flag("--json", options->json, "print one JSON object");
  verb.callback([options, &chosen] { chosen = [options] { return zoo(*options); }; });
}

}  // namespace berth
