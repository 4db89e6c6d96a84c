#include "berth/report/dot.h"

#include <set>

#include <fmt/format.h>

#include "berth/base/listed.h"
#include "berth/base/text.h"
#include "berth/sim/crossings.h"
#include "berth/sim/pieces.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

constexpr std::size_t kMostNodes = 400;

// Light enough for black text, apart for most colour-blind eyes; devices beyond them start again.
constexpr std::array<std::string_view, 8> kColours{"#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99",
                                                   "#cab2d6", "#ffff99", "#d9d9d9", "#80cdc1"};

std::string_view colour(DeviceId device) { return kColours[index(device) % kColours.size()]; }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

class DotWriter {
 public:
  DotWriter(const Problem& problem, const Placement& placement)
      : problem_(problem),
        placement_(placement),
        pieces_(
            subgraph_pieces(problem.graph(), {placement.device_of.data(), problem.node_count()})),
        by_piece_(problem.node_count() > kMostNodes) {}

  std::string write() && {
    text_ = fmt::format(
        "digraph {} {{\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\"];\n  labeljust=l; fontname=\"sans-serif\";\n",
        quoted(problem_.name()));
    write_legend();
    by_piece_ ? write_pieces() : write_nodes();
    write_edges();
    return std::move(text_) + "}\n";
  }

 private:
  void write_legend() {
    text_ += "  subgraph cluster_devices {\n    label=\"devices\";\n";
    for (const DeviceId device : problem_.devices())
      text_ += fmt::format("    d{} [label={}, fillcolor=\"{}\"];\n", index(device),
                           quoted(problem_.device_name(device)), colour(device));
    text_ += "  }\n";
  }

  void write_pieces() {
    std::vector<std::size_t> nodes(pieces_.count());
    std::vector<Duration> time(pieces_.count(), Duration{0});
    for (const NodeId node : problem_.graph().nodes()) {
      ++nodes[pieces_.piece_of[node]];
      time[pieces_.piece_of[node]] += problem_.time(node, placement_.device_of[node]);
    }
    for (std::size_t p = 0; p < pieces_.count(); ++p)
      text_ += fmt::format("  n{} [label=\"{}\\n{}\", fillcolor=\"{}\"];\n", p,
                           plural(nodes[p], "node"), time_text(time[p]), colour(pieces_.device[p]));
  }

  void write_nodes() {
    std::vector<std::vector<NodeId>> members(pieces_.count());
    for (const NodeId node : problem_.graph().nodes())
      members[pieces_.piece_of[node]].push_back(node);
    for (std::size_t p = 0; p < pieces_.count(); ++p) {
      const DeviceId device = pieces_.device[p];
      std::vector<std::string> names;
      for (const DeviceId each : sharers(placement_, device))
        names.push_back(problem_.device_name(each));
      text_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", p, quoted(listed(names)));
      for (const NodeId node : members[p]) {
        const Node& what = problem_.graph().node(node);
        const std::string kind = what.op_type.empty() ? "" : what.op_type + ", ";
        text_ +=
            fmt::format("    n{} [label={}, fillcolor=\"{}\"];\n", index(node),
                        quoted(what.name + "\n" + kind + time_text(problem_.time(node, device))),
                        colour(device));
      }
      text_ += "  }\n";
    }
  }

  void write_edges() {
    const Graph& graph = problem_.graph();
    for (const TensorId tensor : graph.tensors()) {
      const NodeId producer = graph.producer(tensor);
      std::set<std::uint32_t> receivers;  // boxes that have their edge
      for (const NodeId consumer : graph.consumers(tensor)) {
        const std::uint32_t box = box_of(consumer);
        if (box == box_of(producer) || !receivers.insert(box).second) continue;
        const bool crosses = placement_.device_of[consumer] != placement_.device_of[producer];
        text_ += fmt::format("  n{} -> n{}", box_of(producer), box);
        if (crosses)
          text_ += fmt::format(" [penwidth=3, label=\"{}\"]", crossing_text(tensor, consumer));
        text_ += ";\n";
      }
    }
  }

  // Problems with given transfer times may carry no sizes; then time is all there is.
  std::string crossing_text(TensorId tensor, NodeId consumer) const {
    const Bytes size = problem_.graph().tensor(tensor).size;
    if (size.count > 0) return bytes_text(size);
    return time_text(crossing_time(problem_, tensor,
                                   placement_.device_of[problem_.graph().producer(tensor)],
                                   placement_.device_of[consumer]));
  }

  std::uint32_t box_of(NodeId node) const {
    return by_piece_ ? pieces_.piece_of[node] : static_cast<std::uint32_t>(index(node));
  }

  const Problem& problem_;
  const Placement& placement_;
  Pieces pieces_;
  bool by_piece_;
  std::string text_;
};

}  // namespace

std::string write_dot(const Problem& problem, const Placement& placement) {
  return DotWriter(problem, placement).write();
}

}  // namespace berth
