#include "berth/io/pipedream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"
#include "berth/base/listed.h"
#include "berth/io/in_file.h"
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
  if (!text.ends_with(']')) lines.fail(fmt::format("{} has [ without ]", what));
  text = text.substr(1, text.size() - 2);
  Bytes sum{};
  while (true) {
    const std::size_t end = text.find(';');
    sum += size_in(lines, text.substr(0, end), what);
    if (sum.count > kLargestBytes) lines.fail(fmt::format("{} is too large", what));
    if (end == std::string_view::npos) return sum;
    text.remove_prefix(end + 1);
  }
}

// "LSTM(2048, 1024)" is an LSTM.
std::string op_type_of(std::string_view layer) {
  return std::string(trimmed(layer.substr(0, layer.find_first_of("( "))));
}

Layer layer_from(const TextLines& lines, std::string_view line) {
  const std::size_t first = line.find(kSeparator), last = line.rfind(kSeparator);
  if (first == std::string_view::npos || first == last)
    lines.fail(fmt::format("is {}, expected \"name -- layer -- forward_compute_time=...\"",
                           in_quotes(line)));
  Layer layer{.name = std::string(trimmed(line.substr(0, first))),
              .op_type = op_type_of(trimmed(
                  line.substr(first + kSeparator.size(), last - first - kSeparator.size())))};
  if (layer.name.empty()) lines.fail("has no name, expected one before \" -- \"");

  constexpr std::array<std::string_view, 4> kFields{"forward_compute_time", "backward_compute_time",
                                                    "activation_size", "parameter_size"};
  std::array<std::optional<std::string_view>, 4> values;
  std::string_view rest = line.substr(last + kSeparator.size());
  while (!trimmed(rest).empty()) {
    const std::size_t end = rest.find(',');
    const std::string_view item = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const std::size_t equals = item.find('=');
    const auto field = std::ranges::find(kFields, trimmed(item.substr(0, equals)));
    if (equals == std::string_view::npos || field == kFields.end())
      lines.fail(
          fmt::format("has {}, expected {}=...", in_quotes(item), listed(kFields, "=..., ")));
    std::optional<std::string_view>& value =
        values[static_cast<std::size_t>(field - kFields.begin())];
    if (value) lines.fail(fmt::format("has {} twice", *field));
    value = item.substr(equals + 1);
  }
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (!values[i]) lines.fail(fmt::format("has no {}, expected one", kFields[i]));
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
        lines.fail(fmt::format("names {} again, expected unique names",
                               in_quotes(profile.layers.back().name)));
      continue;
    }
    const std::string_view edge = trimmed(*line);
    const std::size_t middle = edge.find(kSeparator);
    if (middle == std::string_view::npos)
      lines.fail(fmt::format("is {}, expected \"node -- node\"", in_quotes(edge)));
    edges.push_back({std::string(trimmed(edge.substr(0, middle))),
                     std::string(trimmed(edge.substr(middle + kSeparator.size()))),
                     lines.number()});
  }
  if (profile.layers.empty()) lines.fail("ends the file, expected at least one node before");
  for (const NamedEdge& edge : edges) {
    const auto find = [&](const std::string& name) {
      const auto found = by_name.find(name);
      if (found == by_name.end())
        lines.fail_at(edge.line,
                      fmt::format("{} is not a node, expected a name of an earlier or later line",
                                  in_quotes(name)));
      return found->second;
    };
    profile.edges.emplace_back(find(edge.tail), find(edge.head));
  }
  return profile;
}

// How much longer a layer takes on each device than in the profile; empty where it cannot run.
IdVector<DeviceId, std::optional<double>> slowdowns(const Cluster& cluster) {
  bool only_cpus = true;
  for (const DeviceId d : cluster.devices()) only_cpus = only_cpus && cluster.device(d).is_host();
  double fastest = 0;
  for (const DeviceId d : cluster.devices())
    if (only_cpus || !cluster.device(d).is_host())
      fastest = std::max(fastest, cluster.device(d).flops_per_second);
  IdVector<DeviceId, std::optional<double>> result(cluster.device_count());
  for (const DeviceId d : cluster.devices()) {
    if (cluster.device(d).is_host() && !only_cpus) continue;
    const double speed = cluster.device(d).flops_per_second;
    result[d] = speed > 0 ? fastest / speed : 1.0;
  }
  return result;
}

Graph graph_from(const Profile& profile, bool training) {
  GraphBuilder builder;
  const std::size_t count = profile.layers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = profile.layers[i];
    builder.add_node({.name = layer.name,
                      .alias = {},
                      .op_type = layer.op_type,
                      .weights = layer.parameters,
                      .group = training ? static_cast<std::int32_t>(i) : kNoGroup});
  }
  std::vector<TensorId> activation;
  for (std::size_t i = 0; i < count; ++i)
    activation.push_back(builder.add_tensor(
        static_cast<NodeId>(i),
        {.size = profile.layers[i].activation, .shape = {}, .element_type = {}}));
  for (const auto& [tail, head] : profile.edges)
    builder.add_use(activation[tail], static_cast<NodeId>(head));
  if (!training) return std::move(builder).build();

  const auto backward = [&](std::size_t layer) { return static_cast<NodeId>(count + layer); };
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = profile.layers[i];
    builder.add_node({.name = layer.name + "grad",
                      .alias = {},
                      .op_type = layer.op_type,
                      .pass = Pass::kBackward,
                      .group = static_cast<std::int32_t>(i)});
    builder.add_use(activation[i], backward(i));
  }
  for (const auto& [tail, head] : profile.edges) {
    const TensorId gradient = builder.add_tensor(
        backward(head), {.size = profile.layers[tail].activation, .shape = {}, .element_type = {}});
    builder.add_use(gradient, backward(tail));
  }
  return std::move(builder).build();
}

NodeTimes times_from(const Profile& profile, const Cluster& cluster, bool training) {
  const IdVector<DeviceId, std::optional<double>> slowdown = slowdowns(cluster);
  const std::size_t count = profile.layers.size();
  NodeTimes times(training ? 2 * count : count, cluster.device_count(), kForever);
  for (std::size_t i = 0; i < count; ++i)
    for (const DeviceId d : cluster.devices()) {
      if (!slowdown[d]) continue;
      times.set(static_cast<NodeId>(i), d, profile.layers[i].forward * *slowdown[d]);
      if (training)
        times.set(static_cast<NodeId>(count + i), d, profile.layers[i].backward * *slowdown[d]);
    }
  return times;
}

}  // namespace

Problem parse_pipedream(std::string_view text, const std::string& file, const std::string& name,
                        const ReadOptions& options) {
  if (!options.cluster)
    throw Error(file +
                ": is a pipedream profile, which has no devices, expected them with --devices");
  TextLines lines(text, file);
  const Profile profile = profile_from(lines);
  const std::size_t nodes = profile.layers.size() * (options.training ? 2 : 1);
  check_counts(file, nodes, options.cluster->device_count());
  Graph graph = in_file(file, [&] { return graph_from(profile, options.training); });
  check_total_bytes(file, graph);
  Costs costs{times_from(profile, *options.cluster, options.training), {}};
  const ExecutionModel model = MaxLoad{.route = Route::kLinks};
  return in_file(file, [&] {
    return Problem(name, std::move(graph), *options.cluster, std::move(costs), {}, model);
  });
}

}  // namespace berth
