#include "berth/io/doppler.h"

#include <fmt/format.h>

#include "berth/io/limits.h"
#include "berth/io/text_lines.h"

namespace berth {
namespace {

constexpr double kUnitsPerSecond = 1e10;
constexpr double kMostUnits = kLongestMicros * 1e-6 * kUnitsPerSecond;

std::size_t integer_in(const TextLines& lines, std::string_view text, std::string_view what,
                       std::size_t most) {
  const double value = lines.number_in(text, what);
  if (!(value >= 0 && value <= static_cast<double>(most)) ||
      value != static_cast<double>(static_cast<std::size_t>(value)))
    lines.fail("{} is {}, expected an integer from 0 to {}", what, in_quotes(trimmed(text)), most);
  return static_cast<std::size_t>(value);
}

std::string_view line_of(TextLines& lines, const char* what) {
  const auto line = lines.next();
  if (!line) lines.fail("ends the file, expected {} after it", what);
  return *line;
}

// "1, 2, 3, ": a comma may end the list.
std::vector<std::size_t> list_in(const TextLines& lines, std::string_view text, const char* what,
                                 std::size_t most) {
  std::vector<std::string_view> parts = split(text, ',');
  if (trimmed(parts.back()).empty()) parts.pop_back();
  std::vector<std::size_t> numbers;
  for (const std::string_view part : parts) numbers.push_back(integer_in(lines, part, what, most));
  return numbers;
}

struct Vertex {
  Duration compute{0}, transfer{0};
  std::string op_type;
};

Vertex vertex_in(const TextLines& lines, std::string_view line) {
  const std::vector<std::string_view> parts = split(line, ',');
  if (parts.size() < 2)
    lines.fail("is {}, expected compute_cost,comm_cost or compute_cost,comm_cost,op_type",
               in_quotes(line));
  const auto units = [&](std::string_view text, const char* what) -> Duration {
    return Seconds(lines.number_up_to(kMostUnits, text, what) / kUnitsPerSecond);
  };
  Vertex vertex{units(parts[0], "compute_cost"), units(parts[1], "comm_cost"), ""};
  if (parts.size() > 2)  // whatever follows the second comma
    vertex.op_type = trimmed(line.substr(parts[0].size() + parts[1].size() + 2));
  return vertex;
}

Cluster equal_devices(const std::string& file) {
  const bool eight = std::filesystem::path(file).filename().string().starts_with("8gpu");
  std::vector<Device> devices;
  for (int i = 0; i < (eight ? 8 : 4); ++i)
    devices.push_back({.name = fmt::format("gpu{}", i), .kind = DeviceKind::kGpu});
  return Cluster(std::move(devices));
}

}  // namespace

Problem parse_doppler(std::string_view text, const std::string& file, const std::string& name,
                      const ReadOptions& options) {
  TextLines lines(text, file);
  const std::size_t total = integer_in(lines, line_of(lines, "the number of vertices"),
                                       "the number of vertices", kMostNodes);
  const std::vector<std::size_t> inputs =
      list_in(lines, line_of(lines, "a line of input vertices"), "an input vertex", kMostNodes);
  if (inputs.size() >= total)
    lines.fail("has {} inputs, expected fewer than the {} vertices of line 1", inputs.size(),
               total);
  const std::size_t count = total - inputs.size();
  for (const std::size_t input : inputs)
    if (input >= count)
      lines.fail("has vertex {}, expected vertices below {}: line 1 minus the number of inputs",
                 input, count);
  const std::vector<std::size_t> sources =
      list_in(lines, line_of(lines, "a line of edge sources"), "an edge source", count - 1);
  const std::vector<std::size_t> targets = list_in(
      lines, line_of(lines, "a line of edge destinations"), "an edge destination", count - 1);
  if (sources.size() != targets.size())
    lines.fail("has {} edge destinations, expected {}, as many as sources in line 3",
               targets.size(), sources.size());

  // Vertices are counted by their lines, not by what line 1 claims.
  std::vector<Vertex> vertices;
  while (const auto line = lines.next_filled()) {
    if (vertices.size() == count)
      lines.fail("is one cost line too many, expected {} after the edges", count);
    vertices.push_back(vertex_in(lines, *line));
  }
  if (vertices.size() != count)
    lines.fail("ends the file after {} cost lines, expected {}", vertices.size(), count);

  const Cluster cluster = options.cluster ? *options.cluster : equal_devices(file);
  check_counts(file, count, cluster.device_count());
  GraphBuilder builder;
  NodeTimes times(count, cluster.device_count());
  IdVector<TensorId, Duration> transfers;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId node =
        builder.add_node({.name = std::to_string(i), .op_type = std::move(vertices[i].op_type)});
    for (const DeviceId d : cluster.devices()) times.set(node, d, vertices[i].compute);
    builder.add_tensor(node, {});
    transfers.push_back(vertices[i].transfer);
  }
  for (std::size_t e = 0; e < sources.size(); ++e)
    builder.add_use(static_cast<TensorId>(sources[e]), static_cast<NodeId>(targets[e]));
  return checked_problem(file, name, std::move(builder), cluster,
                         {std::move(times), TransferTimes::per_tensor(transfers)});
}

}  // namespace berth
