#include "berth/io/pipedream.h"

#include <unordered_map>

#include "berth/base/listed.h"
#include "berth/io/limits.h"
#include "berth/io/text_lines.h"

namespace berth {
namespace {

constexpr std::string_view kSeparator = " -- ";

struct Layer {
  std::string name, op_type;
  Duration forward{0}, backward{0};
  Bytes activation{}, parameters{};
};

struct Profile {
  std::vector<Layer> layers;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // tail, head
};

Bytes size_in(const TextLines& lines, std::string_view text, std::string_view what) {
  const double bytes = lines.number_up_to(static_cast<double>(kLargestBytes), text, what);
  return Bytes{static_cast<std::int64_t>(std::ceil(bytes))};
}

// A size, or the sum of a list "[a; b]".
Bytes sizes_in(const TextLines& lines, std::string_view text, std::string_view what) {
  text = trimmed(text);
  if (!text.starts_with('[')) return size_in(lines, text, what);
  if (!text.ends_with(']')) lines.fail("{} has [ without ]", what);
  Bytes sum{};
  for (const std::string_view part : split(text.substr(1, text.size() - 2), ';')) {
    sum += size_in(lines, part, what);
    if (sum.count > kLargestBytes) lines.fail("{} is too large", what);
  }
  return sum;
}

// "LSTM(2048, 1024)" is an LSTM.
std::string op_type_of(std::string_view layer) {
  return std::string(trimmed(layer.substr(0, layer.find_first_of("( "))));
}

Layer layer_from(const TextLines& lines, std::string_view line) {
  const std::size_t first = line.find(kSeparator), last = line.rfind(kSeparator);
  if (first == std::string_view::npos || first == last)
    lines.fail("is {}, expected \"name -- layer -- forward_compute_time=...\"", in_quotes(line));
  Layer layer{.name = std::string(trimmed(line.substr(0, first))),
              .op_type = op_type_of(trimmed(
                  line.substr(first + kSeparator.size(), last - first - kSeparator.size())))};
  if (layer.name.empty()) lines.fail("has no name, expected one before \" -- \"");

  constexpr std::array<std::string_view, 4> kFields{"forward_compute_time", "backward_compute_time",
                                                    "activation_size", "parameter_size"};
  std::array<std::optional<std::string_view>, 4> values;
  std::vector<std::string_view> items = split(line.substr(last + kSeparator.size()), ',');
  if (trimmed(items.back()).empty()) items.pop_back();
  for (const std::string_view untrimmed : items) {
    const std::string_view item = trimmed(untrimmed);
    const std::size_t equals = item.find('=');
    const auto field = std::ranges::find(kFields, trimmed(item.substr(0, equals)));
    if (equals == std::string_view::npos || field == kFields.end())
      lines.fail("has {}, expected {}=...", in_quotes(item), listed(kFields, "=..., "));
    std::optional<std::string_view>& value =
        values[static_cast<std::size_t>(field - kFields.begin())];
    if (value) lines.fail("has {} twice", *field);
    value = item.substr(equals + 1);
  }
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (!values[i]) lines.fail("has no {}, expected one", kFields[i]);
  constexpr double kLongest = kLongestMicros / 1000;
  layer.forward = milliseconds(lines.number_up_to(kLongest, *values[0], kFields[0]));
  layer.backward = milliseconds(lines.number_up_to(kLongest, *values[1], kFields[1]));
  layer.activation = sizes_in(lines, *values[2], kFields[2]);
  layer.parameters = size_in(lines, *values[3], kFields[3]);
  return layer;
}

Profile profile_from(TextLines& lines) {
  Profile profile;
  std::unordered_map<std::string, std::size_t> by_name;
  // Edges may come before their nodes: they are resolved at the end, with the line they stood on.
  struct NamedEdge {
    std::string tail, head;
    std::size_t line;
  };
  std::vector<NamedEdge> edges;
  while (const auto line = lines.next_filled()) {
    if (!line->starts_with('\t') && !line->starts_with(' ')) {
      profile.layers.push_back(layer_from(lines, *line));
      if (!by_name.emplace(profile.layers.back().name, profile.layers.size() - 1).second)
        lines.fail("names {} again, expected unique names", in_quotes(profile.layers.back().name));
      continue;
    }
    const std::string_view edge = trimmed(*line);
    const std::size_t middle = edge.find(kSeparator);
    if (middle == std::string_view::npos)
      lines.fail("is {}, expected \"node -- node\"", in_quotes(edge));
    edges.push_back({std::string(trimmed(edge.substr(0, middle))),
                     std::string(trimmed(edge.substr(middle + kSeparator.size()))),
                     lines.number()});
  }
  if (profile.layers.empty()) lines.fail("ends the file, expected at least one node before");
  for (const NamedEdge& edge : edges) {
    const auto find = [&](const std::string& name) {
      const auto found = by_name.find(name);
      if (found == by_name.end())
        lines.fail_at(edge.line, "{} is not a node, expected a name of an earlier or later line",
                      in_quotes(name));
      return found->second;
    };
    profile.edges.emplace_back(find(edge.tail), find(edge.head));
  }
  return profile;
}

GraphBuilder graph_from(const Profile& profile, bool training) {
  GraphBuilder builder;
  const std::size_t count = profile.layers.size();
  const auto forward = [](std::size_t layer) { return static_cast<NodeId>(layer); };
  const auto backward = [&](std::size_t layer) { return static_cast<NodeId>(count + layer); };
  const auto activation = [](std::size_t layer) { return static_cast<TensorId>(layer); };
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = profile.layers[i];
    builder.add_node({.name = layer.name,
                      .op_type = layer.op_type,
                      .weights = layer.parameters,
                      .group = training ? static_cast<std::int32_t>(i) : kNoGroup});
    builder.add_tensor(forward(i), {.size = layer.activation});
  }
  for (const auto& [tail, head] : profile.edges) builder.add_use(activation(tail), forward(head));
  if (!training) return builder;
  for (std::size_t i = 0; i < count; ++i) {
    builder.add_node({.name = profile.layers[i].name + "grad",
                      .op_type = profile.layers[i].op_type,
                      .pass = Pass::kBackward,
                      .group = static_cast<std::int32_t>(i)});
    builder.add_use(activation(i), backward(i));
  }
  for (const auto& [tail, head] : profile.edges) {
    const TensorId gradient =
        builder.add_tensor(backward(head), {.size = profile.layers[tail].activation});
    builder.add_use(gradient, backward(tail));
  }
  return builder;
}

NodeTimes times_from(const Profile& profile, const Cluster& cluster, bool training) {
  const std::size_t count = profile.layers.size();
  NodeTimes times(training ? 2 * count : count, cluster.device_count(), kForever);
  const auto runs_layers = [&](const Device& device) {
    return !device.is_host() || cluster.only_cpus();
  };
  double fastest = 0;
  for (const DeviceId d : cluster.devices())
    if (runs_layers(cluster.device(d)))
      fastest = std::max(fastest, cluster.device(d).flops_per_second);
  for (const DeviceId d : cluster.devices()) {
    if (!runs_layers(cluster.device(d))) continue;
    const double speed = cluster.device(d).flops_per_second;
    const double slowdown = speed > 0 ? fastest / speed : 1.0;
    for (std::size_t i = 0; i < count; ++i) {
      times.set(static_cast<NodeId>(i), d, profile.layers[i].forward * slowdown);
      if (training)
        times.set(static_cast<NodeId>(count + i), d, profile.layers[i].backward * slowdown);
    }
  }
  return times;
}

}  // namespace

Problem parse_pipedream(std::string_view text, const std::string& file, const std::string& name,
                        const ReadOptions& options) {
  if (!options.cluster)
    fail("{}: is a pipedream profile, which has no devices, expected them with --devices", file);
  TextLines lines(text, file);
  const Profile profile = profile_from(lines);
  const std::size_t nodes = profile.layers.size() * (options.training ? 2 : 1);
  check_counts(file, nodes, options.cluster->device_count());
  return checked_problem(file, name, graph_from(profile, options.training), *options.cluster,
                         {times_from(profile, *options.cluster, options.training), {}},
                         MaxLoad{.route = Route::kLinks});
}

}  // namespace berth
