#include "berth/learn/torch/hsdag/policy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "berth/learn/base_features.h"
#include "berth/learn/node_features.h"

namespace berth {
namespace {

constexpr std::int64_t kPairFeatures = 3;  // time and memory of the group on the device, support
constexpr std::int64_t kBaseFeatures = std::tuple_size_v<BaseFeatures>;  // of what is improved

}  // namespace

HsdagPolicy::HsdagPolicy(const HsdagOptions& options, const Task& task, std::uint64_t seed)
    : problem_(task.problem),
      graph_(task.graph),
      options_(options),
      reference_(std::max(task.reference.count(), 1e-9)),
      index_(graph_),
      devices_(static_cast<std::int64_t>(graph_.device_count)) {
  index_edges();
  const std::vector<std::string> types = operator_types(problem_);
  types_ = matrix_tensor(type_shares(problem_, graph_, types));
  x_ = matrix_tensor(options.scaled
                         ? scaled_features(problem_, graph_, Duration{reference_})
                         : paper_features(problem_, graph_, types,
                                          {options.shape, options.index, options.structure}));
  describe_devices();
  torch::manual_seed(seed);
  network_ = HsdagNetwork(options_, HsdagWidths{x_.size(1), types_.size(1), devices_,
                                                device_features_.size(1), pair_width()});
}

std::int64_t HsdagPolicy::pair_width() const {
  return kPairFeatures + (options_.improves() ? kBaseFeatures : 0);
}

void HsdagPolicy::index_edges() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
  for (const PolicyGraph::Edge& edge : graph_.edges)
    pairs[std::minmax(edge.from, edge.to)] += edge.bytes;
  std::vector<std::int64_t> first, second;
  std::vector<float> bytes;
  std::vector<std::vector<std::uint32_t>> incident(graph_.size());
  for (const auto& [ends, size] : pairs) {
    const std::uint32_t edge = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back({ends.first, ends.second});
    incident[ends.first].push_back(edge);
    incident[ends.second].push_back(edge);
    first.push_back(ends.first);
    second.push_back(ends.second);
    bytes.push_back(static_cast<float>(std::log1p(size)));
  }
  first_ = index_tensor(first);
  second_ = index_tensor(second);
  edge_bytes_ = torch::tensor(bytes).unsqueeze(1);
  if (!bytes.empty()) edge_bytes_ = edge_bytes_ / std::max(1e-6F, edge_bytes_.max().item<float>());
  // Logits of choices are gathered from those of the edges followed by those of staying.
  std::vector<std::int64_t> gathered;
  choice_begin_.push_back(0);
  for (std::size_t v = 0; v < graph_.size(); ++v) {
    for (const std::uint32_t edge : incident[v]) {
      choice_edge_.push_back(edge);
      gathered.push_back(edge);
    }
    choice_edge_.push_back(kStays);
    gathered.push_back(static_cast<std::int64_t>(edges_.size() + v));
    choice_begin_.push_back(static_cast<std::int64_t>(choice_edge_.size()));
  }
  choice_index_ = index_tensor(gathered);
  choice_segments_ = index_tensor(choice_begin_);
}

// What a device is: its kind, its speed over all that it may run, its memory, its links. Nothing
// says which device it is, so permuting devices permutes the answer.
void HsdagPolicy::describe_devices() {
  FeatureMatrix matrix{static_cast<std::size_t>(devices_), 8, {}};
  const Cluster& cluster = problem_.cluster();
  for (const DeviceId device : problem_.devices()) {
    const Device& data = cluster.device(device);
    double slowdown = 0, runs = 0, startup = 0;
    for (std::uint32_t set = 0; set < graph_.size(); ++set) {
      if (!graph_.may_use(set, berth::index(device))) continue;
      slowdown += graph_.micros[set * graph_.device_count + berth::index(device)] / reference_;
      ++runs;
    }
    for (const DeviceId other : problem_.devices())
      if (other != device) startup += cluster.link(device, other).startup.count();
    for (const DeviceKind kind :
         {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kNpu, DeviceKind::kAccelerator})
      matrix.values.push_back(data.kind == kind ? 1.0F : 0.0F);
    matrix.values.push_back(static_cast<float>(std::log1p(slowdown)));
    matrix.values.push_back(static_cast<float>(runs / static_cast<double>(graph_.size())));
    matrix.values.push_back(data.memory ? static_cast<float>(std::log1p(data.memory->count)) / 30.0F
                                        : 1.0F);
    matrix.values.push_back(static_cast<float>(std::log1p(startup)));
  }
  device_features_ = matrix_tensor(matrix);
}

HsdagPolicy::Encoding HsdagPolicy::encode(const torch::Tensor& x, double temperature) {
  const HsdagNetworkImpl::Encoded nodes = network_->encode(x, types_, index_);
  Encoding encoding{.u = nodes.u, .scores = {}, .choice = {}};
  if (options_.grouping != HsdagGrouping::kNone || !options_.scaled)
    encoding.scores = network_->edge_logits(nodes.z, first_, second_, edge_bytes_);
  if (options_.grouping == HsdagGrouping::kSampled) {
    const torch::Tensor all = torch::cat({encoding.scores, network_->stay_logits(nodes.z)}, -1);
    const torch::Tensor logits = all.index_select(-1, choice_index_) / temperature;
    encoding.choice = segment_log_softmax(logits, choice_segments_).reshape({-1});
  }
  return encoding;
}

// Groups of dominant edges; of all levels, the groups of one are the nodes of the next.
Groups HsdagPolicy::dominant_groups(const torch::Tensor& edge_scores) const {
  const std::vector<float> scores = floats(edge_scores);
  Groups groups = connect(edges_, dominant_edges(graph_.size(), edges_, scores));
  while (options_.all_levels) {
    std::vector<GroupEdge> between;
    for (const GroupEdge& edge : edges_)
      between.push_back({groups.group_of[edge.a], groups.group_of[edge.b]});
    const Groups upper = connect(between, dominant_edges(groups.count, between, scores));
    if (upper.count == groups.count) break;
    for (std::uint32_t& group : groups.group_of) group = upper.group_of[group];
    groups.count = upper.count;
  }
  return groups;
}

Rollouts HsdagPolicy::empty_rollouts() const {
  // Dropout makes the same group another one in each rollout.
  return Rollouts(graph_, options_.renewal, !(options_.dropout > 0));
}

Rollouts HsdagPolicy::draw_groups(const Encoding& encoding, std::size_t rollouts, bool greedy,
                                  Rng& rng) const {
  Rollouts drawn = empty_rollouts();
  if (options_.grouping != HsdagGrouping::kSampled) {
    const Groups groups = options_.grouping == HsdagGrouping::kNone
                              ? connect(edges_, std::vector<std::uint32_t>(graph_.size(), kStays))
                              : dominant_groups(encoding.scores);
    for (std::size_t i = 0; i < rollouts; ++i) drawn.add(groups, {});
    return drawn;
  }
  const std::vector<float> logs = floats(encoding.choice);
  std::vector<std::uint32_t> kept(graph_.size());
  std::vector<std::int64_t> choices(graph_.size());
  for (std::size_t i = 0; i < rollouts; ++i) {
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      const std::size_t begin = static_cast<std::size_t>(choice_begin_[v]);
      const std::size_t end = static_cast<std::size_t>(choice_begin_[v + 1]);
      const std::size_t chosen =
          greedy ? static_cast<std::size_t>(
                       std::max_element(logs.begin() + static_cast<std::ptrdiff_t>(begin),
                                        logs.begin() + static_cast<std::ptrdiff_t>(end)) -
                       logs.begin())
                 : draw(logs, begin, end, rng);
      choices[v] = static_cast<std::int64_t>(chosen);
      kept[v] = choice_edge_[chosen];
    }
    drawn.add(connect(edges_, kept), choices);
  }
  return drawn;
}

std::vector<std::uint32_t> HsdagPolicy::draw_kept(const Encoding& encoding,
                                                  std::span<const float> logs,
                                                  std::span<const std::uint32_t> nodes,
                                                  std::vector<std::int64_t>& choices,
                                                  Rng& rng) const {
  if (options_.grouping == HsdagGrouping::kDominant)
    return dominant_edges(graph_.size(), edges_, floats(encoding.scores));
  std::vector<std::uint32_t> kept(graph_.size(), kStays);
  if (options_.grouping == HsdagGrouping::kNone) return kept;
  choices.resize(graph_.size());
  for (std::size_t v = 0; v < graph_.size(); ++v) choices[v] = choice_begin_[v + 1] - 1;  // stays
  for (const std::uint32_t v : nodes) {
    const std::size_t chosen = draw(logs, static_cast<std::size_t>(choice_begin_[v]),
                                    static_cast<std::size_t>(choice_begin_[v + 1]), rng);
    choices[v] = static_cast<std::int64_t>(chosen);
    kept[v] = choice_edge_[chosen];
  }
  return kept;
}

Rollouts HsdagPolicy::draw_parts(const Encoding& encoding, const SetDevices& base,
                                 std::span<const SetGroup> regions, Rng& rng) const {
  Rollouts drawn = empty_rollouts();
  std::vector<float> logs;
  if (encoding.choice.defined()) logs = floats(encoding.choice);
  for (const SetGroup& region : regions) {
    std::vector<std::int64_t> choices;
    std::vector<std::uint32_t> kept = draw_kept(encoding, logs, region, choices, rng);
    std::vector<std::uint8_t> inside(graph_.size(), 0);
    for (const std::uint32_t v : region) inside[v] = 1;
    for (std::uint32_t& edge : kept)
      if (edge != kStays && (inside[edges_[edge].a] == 0 || inside[edges_[edge].b] == 0))
        edge = kStays;
    drawn.add_part(connect(edges_, kept), choices, region, base);
  }
  return drawn;
}

torch::Tensor HsdagPolicy::pair_features(const Rollouts& rollouts, const SetDevices* base) const {
  const std::size_t devices = graph_.device_count, width = static_cast<std::size_t>(pair_width());
  std::vector<float> values(rollouts.groups() * devices * width, 0.0F);
  if (base != nullptr && options_.improves()) {
    const std::vector<BaseFeatures> around = base_features(graph_, rollouts.members, *base);
    for (std::size_t i = 0; i < around.size(); ++i)
      std::ranges::copy(around[i],
                        values.begin() + static_cast<std::ptrdiff_t>(i * width) + kPairFeatures);
  }
  for (std::size_t g = 0; g < rollouts.groups(); ++g)
    for (std::size_t d = 0; d < devices; ++d) {
      float* pair = values.data() + (g * devices + d) * width;
      const auto limit = problem_.cluster().device(static_cast<DeviceId>(d)).memory;
      for (const std::uint32_t set : rollouts.members[g]) {
        if (!graph_.may_use(set, d)) {
          pair[2] = 1.0F;
          continue;
        }
        pair[0] += static_cast<float>(graph_.micros[set * devices + d] / reference_);
        if (limit && limit->count > 0)
          pair[1] +=
              static_cast<float>(graph_.weight_bytes[set] / static_cast<double>(limit->count));
      }
    }
  // Times and shares of small groups lie near zero: the root spreads them.
  return torch::tensor(values)
      .reshape({static_cast<std::int64_t>(rollouts.groups()), devices_, pair_width()})
      .sqrt();
}

HsdagPolicy::GroupIndex HsdagPolicy::index(const Rollouts& rollouts, const SetDevices* base) const {
  const std::int64_t groups = static_cast<std::int64_t>(rollouts.groups());
  GroupIndex result;
  std::vector<SparseMatrix::Entry> entries;
  std::vector<std::uint8_t> forbidden;
  for (std::size_t g = 0; g < rollouts.groups(); ++g) {
    const SetGroup& members = rollouts.members[g];
    const float weight = options_.scaled ? 1.0F / static_cast<float>(members.size()) : 1.0F;
    for (const std::uint32_t set : members)
      entries.push_back({static_cast<std::int64_t>(g), rollouts.first_row[g] + set, weight});
    for (std::size_t d = 0; d < graph_.device_count; ++d)
      forbidden.push_back(may_use(graph_, members, d) ? 0 : 1);
  }
  result.members = SparseMatrix(groups, static_cast<std::int64_t>(rollouts.rows()), entries);
  if (std::find(forbidden.begin(), forbidden.end(), 1) != forbidden.end())
    result.forbidden = torch::tensor(std::vector<std::int64_t>(forbidden.begin(), forbidden.end()))
                           .reshape({groups, devices_}) != 0;
  if (options_.scaled) {
    result.pair_features = pair_features(rollouts, base);
    if (base != nullptr && options_.improves())
      result.kept = result.pair_features.select(2, kPairFeatures);
    return result;
  }
  // Edges inside groups, step after step where each step has scores of its own.
  const std::size_t nodes = graph_.size(), steps = rollouts.rows() / nodes;
  std::vector<SparseMatrix::Entry> inner;
  std::vector<float> has_edges;
  std::vector<std::uint32_t> mark(nodes, kStays);
  std::vector<std::vector<std::uint32_t>> incident(nodes);
  for (std::uint32_t e = 0; e < edges_.size(); ++e) incident[edges_[e].a].push_back(e);
  for (std::uint32_t g = 0; g < rollouts.groups(); ++g) {
    const std::int64_t first =
        rollouts.first_row[g] / index_.nodes * static_cast<std::int64_t>(edges_.size());
    has_edges.push_back(rollouts.members[g].size() > 1 ? 1.0F : 0.0F);
    for (const std::uint32_t set : rollouts.members[g]) mark[set] = g;
    for (const std::uint32_t set : rollouts.members[g])
      for (const std::uint32_t e : incident[set])
        if (mark[edges_[e].b] == g) inner.push_back({g, first + e, 1.0F});
  }
  result.inner_edges =
      SparseMatrix(groups, static_cast<std::int64_t>(steps * edges_.size()), inner);
  result.has_edges = torch::tensor(has_edges).unsqueeze(1) > 0;
  return result;
}

HsdagPolicy::DeviceLogs HsdagPolicy::devices(const Encoding& encoding, const GroupIndex& groups) {
  torch::Tensor pooled = network_->pool(encoding.u, groups.members);
  DeviceLogs result;
  torch::Tensor logits;
  if (options_.scaled) {
    logits = network_->device_logits(pooled, device_features_, groups.pair_features, groups.kept);
    if (options_.renewal) result.renewed = network_->renewed(pooled);
  } else {
    // mean score x 2 edges = 2 x the sum; 1 for a group of one node.
    const torch::Tensor sums = groups.inner_edges(torch::sigmoid(encoding.scores.reshape({-1, 1})));
    const torch::Tensor scale = torch::where(groups.has_edges, 2 * sums, torch::ones_like(sums));
    result.renewed = network_->renewed(pooled * scale);
    logits = network_->paper_logits(result.renewed);
  }
  if (groups.forbidden.defined()) logits = logits.masked_fill(groups.forbidden, -1e9);
  result.log = torch::log_softmax(logits, 1);
  return result;
}

void HsdagPolicy::draw_devices(const torch::Tensor& log, bool greedy, Rollouts& rollouts,
                               Rng& rng) const {
  const std::vector<float> logs = floats(log);
  const std::size_t devices = graph_.device_count;
  std::vector<std::int64_t> drawn;
  for (const std::int64_t group : rollouts.group_of_decision) {
    const std::size_t first = static_cast<std::size_t>(group) * devices;
    const auto row = logs.begin() + static_cast<std::ptrdiff_t>(first);
    const auto best = std::max_element(row, row + devices_) - row;
    drawn.push_back(
        greedy ? best : static_cast<std::int64_t>(draw(logs, first, first + devices, rng) - first));
  }
  rollouts.set_devices(drawn);
}

void HsdagPolicy::draw_changes(const torch::Tensor& log, const SetDevices& base, Rollouts& rollouts,
                               Rng& rng) const {
  const std::vector<float> logs = floats(log);
  const std::size_t devices = graph_.device_count;
  std::vector<std::int64_t> drawn = rollouts.device;
  for (std::size_t begin = 0, i = 0; i < rollouts.count(); ++i) {
    std::size_t end = begin;
    while (end < drawn.size() && rollouts.rollout_of[end] == static_cast<std::int64_t>(i)) ++end;
    if (rollouts.placements[i] == base) {
      const std::size_t decision = begin + rng.below(end - begin);
      const std::size_t group = static_cast<std::size_t>(rollouts.group_of_decision[decision]);
      std::vector<float> others(logs.begin() + static_cast<std::ptrdiff_t>(group * devices),
                                logs.begin() + static_cast<std::ptrdiff_t>((group + 1) * devices));
      others[static_cast<std::size_t>(drawn[decision])] = -INFINITY;
      double sum = 0;
      for (const float value : others) sum += std::exp(static_cast<double>(value));
      if (sum > 1e-30) {
        for (float& value : others) value -= static_cast<float>(std::log(sum));
        drawn[decision] = static_cast<std::int64_t>(draw(others, 0, devices, rng));
      }
    }
    begin = end;
  }
  rollouts.set_devices(drawn);
}

}  // namespace berth
