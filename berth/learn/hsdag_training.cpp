#include "berth/learn/hsdag_training.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "berth/place/learned/node_features.h"

namespace berth {
namespace {

constexpr double kReplayWeight = 0.1;
constexpr std::int64_t kPairFeatures = 3;  // time and memory of the group on the device, support

torch::Tensor matrix_tensor(const FeatureMatrix& matrix) {
  return torch::tensor(matrix.values)
      .reshape({static_cast<std::int64_t>(matrix.rows), static_cast<std::int64_t>(matrix.columns)});
}

std::vector<float> floats(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().contiguous().reshape({-1});
  const float* begin = flat.data_ptr<float>();
  return {begin, begin + flat.numel()};
}

// A draw from exp(log_probability); the last possible one when rounding leaves something over.
template <class Logs>
std::int64_t draw(const Logs& logs, std::size_t begin, std::size_t end, Rng& rng) {
  double left = rng.uniform();
  std::size_t last = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const double probability = std::exp(static_cast<double>(logs[i]));
    if (!(probability > 0)) continue;
    last = i;
    left -= probability;
    if (left < 0) break;
  }
  return static_cast<std::int64_t>(last);
}

}  // namespace

HsdagLearner::HsdagLearner(const Problem& problem, const PolicyGraph& graph,
                           const HsdagOptions& options, Duration reference, std::uint64_t seed)
    : problem_(problem), graph_(graph), options_(options),
      reference_(std::max(reference.count(), 1e-9)), index_(graph),
      devices_(static_cast<std::int64_t>(graph.device_count)) {
  index_edges();
  const std::vector<std::string> types = operator_types(problem);
  types_ = matrix_tensor(type_shares(problem, graph, types));
  x_ = matrix_tensor(options.scaled
                         ? scaled_features(problem, graph, reference)
                         : paper_features(problem, graph, types,
                                          {options.shape, options.index, options.structure}));
  describe_devices();
  torch::manual_seed(seed);
  network_ = HsdagNetwork(options_, HsdagWidths{x_.size(1), types_.size(1), devices_,
                                                device_features_.size(1), kPairFeatures});
  optimizer_ = std::make_unique<torch::optim::Adam>(network_->parameters(),
                                                    torch::optim::AdamOptions(options.rate));
}

void HsdagLearner::index_edges() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
  for (const PolicyGraph::Edge& edge : graph_.edges)
    pairs[std::minmax(edge.from, edge.to)] += edge.bytes;
  std::vector<std::int64_t> a, b;
  std::vector<float> bytes;
  std::vector<std::vector<std::int64_t>> incident(graph_.size());
  for (const auto& [ends, size] : pairs) {
    const std::int64_t edge = static_cast<std::int64_t>(edges_.size());
    edges_.push_back({ends.first, ends.second});
    incident[ends.first].push_back(edge);
    incident[ends.second].push_back(edge);
    a.push_back(ends.first);
    b.push_back(ends.second);
    bytes.push_back(static_cast<float>(std::log1p(size)));
  }
  edge_a_ = index_tensor(a);
  edge_b_ = index_tensor(b);
  edge_bytes_ = torch::tensor(bytes).unsqueeze(1);
  if (!bytes.empty()) edge_bytes_ = edge_bytes_ / std::max(1e-6F, edge_bytes_.max().item<float>());
  // Logits of choices are gathered from those of the edges followed by those of staying.
  std::vector<std::int64_t> gathered, segment;
  choice_begin_.push_back(0);
  for (std::size_t v = 0; v < graph_.size(); ++v) {
    for (const std::int64_t edge : incident[v]) {
      choice_edge_.push_back(edge);
      gathered.push_back(edge);
    }
    choice_edge_.push_back(-1);
    gathered.push_back(static_cast<std::int64_t>(edges_.size() + v));
    choice_begin_.push_back(static_cast<std::int64_t>(choice_edge_.size()));
    segment.resize(choice_edge_.size(), static_cast<std::int64_t>(v));
  }
  choice_index_ = index_tensor(gathered);
  choice_segment_ = index_tensor(segment);
}

// What a device is: its kind, its speed over all that it may run, its memory, its links. Nothing
// says which device it is, so permuting devices permutes the answer.
void HsdagLearner::describe_devices() {
  FeatureMatrix matrix{static_cast<std::size_t>(devices_), 8, {}};
  const Cluster& cluster = problem_.cluster();
  for (const DeviceId device : problem_.devices()) {
    const Device& data = cluster.device(device);
    double slowdown = 0, runs = 0, startup = 0;
    for (std::uint32_t set = 0; set < graph_.size(); ++set) {
      if (!graph_.may_use(set, index(device))) continue;
      const double time = graph_.micros[set * graph_.device_count + index(device)];
      slowdown += time / reference_;
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

// The nodes of a group that no device may run as a whole stay alone.
Groups HsdagLearner::dissolve_impossible(Groups groups) const {
  const std::size_t devices = graph_.device_count;
  std::vector<std::uint8_t> allowed(groups.count * devices, 1), possible(groups.count, 0);
  for (std::uint32_t v = 0; v < graph_.size(); ++v)
    for (std::size_t d = 0; d < devices; ++d)
      if (!graph_.may_use(v, d)) allowed[groups.group_of[v] * devices + d] = 0;
  for (std::size_t i = 0; i < allowed.size(); ++i) possible[i / devices] |= allowed[i];
  if (std::find(possible.begin(), possible.end(), 0) == possible.end()) return groups;
  for (std::uint32_t& group : groups.group_of)
    if (possible[group] == 0) group = groups.count++;
  return groups;
}

// Groups of dominant edges; of all levels, the groups of one are the nodes of the next.
Groups HsdagLearner::parse(const std::vector<float>& scores) const {
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

void HsdagLearner::add_rollout(Batch& batch, const Groups& wanted,
                               const std::vector<std::int64_t>& choices) const {
  const Groups groups = dissolve_impossible(wanted);
  const std::size_t devices = graph_.device_count;
  const std::int64_t first = batch.groups;
  batch.allowed.resize((static_cast<std::size_t>(first) + groups.count) * devices, 1);
  for (std::uint32_t v = 0; v < graph_.size(); ++v) {
    const std::uint32_t at = static_cast<std::uint32_t>(first) + groups.group_of[v];
    batch.group_of.push_back(at);
    for (std::size_t d = 0; d < devices; ++d)
      if (!graph_.may_use(v, d)) batch.allowed[at * devices + d] = 0;
  }
  for (std::size_t e = 0; e < edges_.size(); ++e)
    if (groups.group_of[edges_[e].a] == groups.group_of[edges_[e].b]) {
      batch.inner_edge.push_back(batch.rollouts * static_cast<std::int64_t>(edges_.size()) +
                                 static_cast<std::int64_t>(e));
      batch.inner_group.push_back(first + groups.group_of[edges_[e].a]);
    }
  batch.choice.insert(batch.choice.end(), choices.begin(), choices.end());
  batch.rollout_of.resize(static_cast<std::size_t>(first) + groups.count, batch.rollouts);
  batch.groups += groups.count;
  ++batch.rollouts;
}

torch::Tensor HsdagLearner::choice_logits(const torch::Tensor& z, double temperature) {
  const torch::Tensor edges = network_->edge_logits(z, edge_a_, edge_b_, edge_bytes_);
  const torch::Tensor all = torch::cat({edges, network_->stay_logits(z)}, -1);
  const torch::Tensor logits = all.index_select(-1, choice_index_) / temperature;
  // Every step with features of its own has segments of its own.
  const std::int64_t steps = z.dim() == 3 ? z.size(0) : 1;
  const torch::Tensor first = torch::arange(steps, torch::kLong).unsqueeze(1) * index_.nodes;
  return segment_log_softmax(logits.reshape({-1}), (first + choice_segment_).reshape({-1}),
                             steps * index_.nodes);
}

HsdagLearner::Batch HsdagLearner::draw_groups(const torch::Tensor& x, std::int64_t rollouts,
                                              double temperature, bool greedy, Rng& rng) {
  Batch batch;
  const std::uint32_t nodes = static_cast<std::uint32_t>(graph_.size());
  if (options_.grouping == HsdagGrouping::kNone) {
    for (std::int64_t i = 0; i < rollouts; ++i)
      add_rollout(batch, connect(edges_, std::vector<std::uint32_t>(nodes, kStays)), {});
    return batch;
  }
  const torch::Tensor z = network_->encode(x, types_, index_).z;
  if (options_.grouping == HsdagGrouping::kDominant) {
    const std::vector<float> scores =
        floats(network_->edge_logits(z, edge_a_, edge_b_, edge_bytes_));
    const Groups groups = parse(scores);
    for (std::int64_t i = 0; i < rollouts; ++i) add_rollout(batch, groups, {});
    return batch;
  }
  const std::vector<float> logs = floats(choice_logits(z, temperature));
  for (std::int64_t i = 0; i < rollouts; ++i) {
    std::vector<std::uint32_t> kept(nodes);
    std::vector<std::int64_t> choices(nodes);
    for (std::uint32_t v = 0; v < nodes; ++v) {
      const std::size_t begin = static_cast<std::size_t>(choice_begin_[v]);
      const std::size_t end = static_cast<std::size_t>(choice_begin_[v + 1]);
      choices[v] = greedy ? std::max_element(logs.begin() + static_cast<std::ptrdiff_t>(begin),
                                             logs.begin() + static_cast<std::ptrdiff_t>(end)) -
                                logs.begin()
                          : draw(logs, begin, end, rng);
      const std::int64_t edge = choice_edge_[static_cast<std::size_t>(choices[v])];
      kept[v] = edge < 0 ? kStays : static_cast<std::uint32_t>(edge);
    }
    add_rollout(batch, connect(edges_, kept), choices);
  }
  return batch;
}

torch::Tensor HsdagLearner::device_log_probabilities(const HsdagNetworkImpl::Encoded& encoded,
                                                     const torch::Tensor& scores,
                                                     const Batch& batch, torch::Tensor* renewed) {
  // One encoding serves all rollouts, unless each step has features of its own.
  const bool shared = encoded.u.dim() == 2;
  std::vector<std::int64_t> row(batch.group_of.size()), group(batch.group_of.begin(),
                                                              batch.group_of.end());
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<std::int64_t>(shared ? i % graph_.size() : i);
  const torch::Tensor group_index = index_tensor(group);
  torch::Tensor pooled = network_->pool(encoded.u, index_tensor(row), group_index, batch.groups);
  torch::Tensor logits;
  if (options_.scaled) {
    std::vector<float> pairs(static_cast<std::size_t>(batch.groups * devices_) * kPairFeatures, 0.0F);
    for (std::size_t i = 0; i < batch.group_of.size(); ++i) {
      const std::size_t set = i % graph_.size();
      for (std::size_t d = 0; d < graph_.device_count; ++d) {
        const std::size_t at = (batch.group_of[i] * graph_.device_count + d) * kPairFeatures;
        if (!graph_.may_use(static_cast<std::uint32_t>(set), d)) {
          pairs[at + 2] = 1.0F;
          continue;
        }
        pairs[at] += static_cast<float>(graph_.micros[set * graph_.device_count + d] / reference_);
        const auto limit = problem_.cluster().device(static_cast<DeviceId>(d)).memory;
        if (limit && limit->count > 0)
          pairs[at + 1] += static_cast<float>(graph_.weight_bytes[set] /
                                              static_cast<double>(limit->count));
      }
    }
    torch::Tensor features = torch::tensor(pairs).reshape({batch.groups, devices_, kPairFeatures});
    // Times and shares of small groups lie near zero: the root spreads them.
    logits = network_->device_logits(pooled, device_features_, features.sqrt());
  } else {
    const torch::Tensor flat_scores =
        shared ? scores.repeat({batch.rollouts}) : scores.reshape({-1});
    const torch::Tensor inner_group = index_tensor(batch.inner_group);
    const torch::Tensor inside =
        torch::sigmoid(flat_scores.index_select(0, index_tensor(batch.inner_edge)));
    const torch::Tensor zeros = torch::zeros({batch.groups});
    const torch::Tensor count = zeros.index_add(0, inner_group, torch::ones_like(inside).detach());
    const torch::Tensor sum = zeros.index_add(0, inner_group, inside);
    // mean score x 2 edges = 2 x the sum; 1 for a group of one node.
    const torch::Tensor scale = torch::where(count > 0, 2 * sum, torch::ones_like(sum));
    const torch::Tensor y = network_->renewed(pooled * scale.unsqueeze(1));
    if (renewed != nullptr) *renewed = y;
    logits = network_->paper_logits(y);
  }
  if (options_.scaled && options_.renewal && renewed != nullptr) *renewed = network_->renewed(pooled);
  const torch::Tensor allowed =
      torch::tensor(std::vector<std::int64_t>(batch.allowed.begin(), batch.allowed.end()))
          .reshape({batch.groups, devices_});
  logits = logits.masked_fill(allowed == 0, -1e9);
  return torch::log_softmax(logits, 1);
}

HsdagLearner::Decisions HsdagLearner::decide(const torch::Tensor& x, const Batch& batch,
                                             double temperature) {
  const HsdagNetworkImpl::Encoded encoded = network_->encode(x, types_, index_);
  Decisions decisions;
  torch::Tensor scores;
  if (options_.grouping == HsdagGrouping::kSampled)
    decisions.choice = choice_logits(encoded.z, temperature);
  if (!options_.scaled) scores = network_->edge_logits(encoded.z, edge_a_, edge_b_, edge_bytes_);
  decisions.devices = device_log_probabilities(encoded, scores, batch, &decisions.renewed);
  return decisions;
}

void HsdagLearner::draw_devices(const torch::Tensor& log_probabilities, bool greedy, Batch& batch,
                                Rng& rng) const {
  const std::vector<float> logs = floats(log_probabilities);
  const std::size_t devices = graph_.device_count;
  for (std::size_t g = 0; g < static_cast<std::size_t>(batch.groups); ++g) {
    const auto row = logs.begin() + static_cast<std::ptrdiff_t>(g * devices);
    batch.device.push_back(
        greedy ? std::max_element(row, row + static_cast<std::ptrdiff_t>(devices)) - row
               : draw(logs, g * devices, (g + 1) * devices, rng) -
                     static_cast<std::int64_t>(g * devices));
  }
  for (std::int64_t i = 0; i < batch.rollouts; ++i) {
    SetDevices& placement = batch.placements.emplace_back();
    for (std::size_t v = 0; v < graph_.size(); ++v)
      placement.push_back(static_cast<std::uint32_t>(
          batch.device[batch.group_of[static_cast<std::size_t>(i) * graph_.size() + v]]));
  }
}

std::vector<double> HsdagLearner::rewards(std::span<const Score> scores) const {
  std::vector<double> result;
  for (const Score& score : scores) {
    const double value = std::max(score.value.count(), 1e-9);
    if (!options_.advantage) {
      const bool failed = !score.feasible() || score.value == kForever;
      result.push_back(failed ? 1e-10 : 1e6 / value);  // 1 / seconds; 1e10 s on failure
      continue;
    }
    const double relative = score.value == kForever ? 10.0 : std::log(value / reference_);
    result.push_back(score.feasible() ? -relative : -1 - 4 * std::min(score.overflow, 10.0) - relative);
  }
  return result;
}

torch::Tensor HsdagLearner::loss_of(const Decisions& now, const Decisions& old, const Batch& batch,
                                    const std::vector<double>& weight, double beta,
                                    double* entropy) const {
  const torch::Tensor weights =
      torch::tensor(std::vector<float>(weight.begin(), weight.end()));
  const torch::Tensor by_group = weights.index_select(0, index_tensor(batch.rollout_of));
  const torch::Tensor taken = index_tensor(batch.device).unsqueeze(1);
  const torch::Tensor device_log = now.devices.gather(1, taken).squeeze(1);
  const torch::Tensor device_entropy =
      -(now.devices.exp() * now.devices.clamp_min(-1e4)).sum(1).mean();
  torch::Tensor choice_log, choice_entropy, by_choice;
  torch::Tensor choices;
  if (now.choice.defined()) {
    const std::int64_t list = choice_index_.size(0), steps = now.choice.size(0) / list;
    choices = index_tensor(batch.choice);
    if (steps > 1)
      choices = choices +
                torch::arange(steps, torch::kLong).repeat_interleave(index_.nodes) * list;
    choice_log = now.choice.index_select(0, choices);
    choice_entropy =
        -(now.choice.exp() * now.choice).sum() / static_cast<double>(steps * index_.nodes);
    by_choice = weights.repeat_interleave(index_.nodes);
  }
  *entropy = device_entropy.item<double>();
  if (!options_.advantage) {
    torch::Tensor sum = (by_group * device_log).sum();
    if (choice_log.defined()) sum = sum + (by_choice * choice_log).sum();
    return -sum;
  }
  const auto clipped = [&](const torch::Tensor& log, const torch::Tensor& before,
                           const torch::Tensor& advantage) {
    const torch::Tensor ratio = (log - before).exp();
    return torch::min(ratio * advantage,
                      ratio.clamp(1 - options_.clip, 1 + options_.clip) * advantage)
        .mean();
  };
  torch::Tensor gain =
      clipped(device_log, old.devices.gather(1, taken).squeeze(1), by_group) + beta * device_entropy;
  if (choice_log.defined()) {
    gain = gain + clipped(choice_log, old.choice.index_select(0, choices), by_choice) +
           beta * choice_entropy;
    *entropy = 0.5 * (*entropy + choice_entropy.item<double>());
  }
  return -gain;
}

void HsdagLearner::step(const torch::Tensor& loss) {
  optimizer_->zero_grad();
  loss.backward();
  if (options_.advantage) torch::nn::utils::clip_grad_norm_(network_->parameters(), 1.0);
  optimizer_->step();
}

torch::Tensor HsdagLearner::imitation_loss(const SetDevices& target, double temperature, Rng& rng) {
  const HsdagNetworkImpl::Encoded encoded = network_->encode(x_, types_, index_);
  Batch batch;
  std::vector<std::uint32_t> kept(graph_.size(), kStays);
  Groups groups;
  torch::Tensor loss;
  if (options_.grouping == HsdagGrouping::kSampled) {
    const torch::Tensor logs = choice_logits(encoded.z, temperature);
    const std::vector<float> values = floats(logs);
    std::vector<std::int64_t> fits, node;
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      std::vector<double> weight;
      const std::size_t begin = fits.size();
      for (std::int64_t c = choice_begin_[v]; c < choice_begin_[v + 1]; ++c) {
        const std::int64_t edge = choice_edge_[static_cast<std::size_t>(c)];
        if (edge >= 0 && target[edges_[static_cast<std::size_t>(edge)].a] !=
                             target[edges_[static_cast<std::size_t>(edge)].b])
          continue;
        fits.push_back(c);
        node.push_back(v);
        weight.push_back(std::exp(static_cast<double>(values[static_cast<std::size_t>(c)])));
      }
      double left = rng.uniform() * std::accumulate(weight.begin(), weight.end(), 0.0);
      std::size_t pick = weight.size() - 1;
      for (std::size_t i = 0; i < weight.size() && left >= 0; ++i)
        if ((left -= weight[i]) < 0) pick = i;
      const std::int64_t edge = choice_edge_[static_cast<std::size_t>(fits[begin + pick])];
      if (edge >= 0) kept[v] = static_cast<std::uint32_t>(edge);
    }
    const torch::Tensor mass = torch::zeros({index_.nodes})
                                   .index_add(0, index_tensor(node),
                                              logs.index_select(0, index_tensor(fits)).exp());
    loss = -mass.clamp_min(1e-8).log().mean();
  }
  if (options_.grouping == HsdagGrouping::kDominant)
    groups = parse(floats(network_->edge_logits(encoded.z, edge_a_, edge_b_, edge_bytes_)));
  else
    groups = connect(edges_, kept);
  add_rollout(batch, groups, {});
  // The device that most of the group's nodes have.
  std::vector<std::vector<int>> votes(static_cast<std::size_t>(batch.groups),
                                      std::vector<int>(graph_.device_count, 0));
  for (std::size_t v = 0; v < graph_.size(); ++v) ++votes[batch.group_of[v]][target[v]];
  std::vector<std::int64_t> majority;
  for (const std::vector<int>& count : votes)
    majority.push_back(std::max_element(count.begin(), count.end()) - count.begin());
  torch::Tensor scores;
  if (!options_.scaled) scores = network_->edge_logits(encoded.z, edge_a_, edge_b_, edge_bytes_);
  const torch::Tensor devices = device_log_probabilities(encoded, scores, batch, nullptr);
  const torch::Tensor device_loss =
      -devices.gather(1, index_tensor(majority).unsqueeze(1)).clamp_min(-20).mean();
  return loss.defined() ? loss + device_loss : device_loss;
}

void HsdagLearner::prepare(Scorer& scorer, Budget& budget, const Rng& rng) {
  if (scorer.elite().empty()) return;
  network_->train();
  Rng stream = rng.split("imitation");
  const SetDevices best = scorer.elite().front().devices;
  std::uint64_t steps = static_cast<std::uint64_t>(options_.imitation);
  if (const auto most = budget.limits().evaluations)  // a short search is not to be all imitation
    steps = std::min(steps, (*most - std::min(*most, budget.evaluations())) / 4);
  for (std::uint64_t i = 0; i < steps && !budget.spent(); ++i)
    step(imitation_loss(best, 1.0, stream));
}

void HsdagLearner::Batch::append(Batch&& one, std::size_t edges) {
  const std::int64_t first_edge = rollouts * static_cast<std::int64_t>(edges);
  for (const std::uint32_t g : one.group_of) group_of.push_back(static_cast<std::uint32_t>(groups) + g);
  for (const std::int64_t e : one.inner_edge) inner_edge.push_back(first_edge + e);
  for (const std::int64_t g : one.inner_group) inner_group.push_back(groups + g);
  for (const std::int64_t r : one.rollout_of) rollout_of.push_back(rollouts + r);
  allowed.insert(allowed.end(), one.allowed.begin(), one.allowed.end());
  device.insert(device.end(), one.device.begin(), one.device.end());
  choice.insert(choice.end(), one.choice.begin(), one.choice.end());
  std::move(one.placements.begin(), one.placements.end(), std::back_inserter(placements));
  groups += one.groups;
  rollouts += one.rollouts;
}

HsdagLearner::Drawn HsdagLearner::draw_rollouts(std::int64_t rollouts, double temperature,
                                                Rng& rng) {
  const torch::NoGradGuard off;
  Drawn drawn{.x = x_};
  if (!options_.renewal) {
    drawn.batch = draw_groups(x_, rollouts, temperature, false, rng);
    drawn.old = decide(x_, drawn.batch, temperature);
    draw_devices(drawn.old.devices, false, drawn.batch, rng);
    return drawn;
  }
  // Each step sees the features that the one before has left.
  std::vector<torch::Tensor> states, choices, devices;
  torch::Tensor state = x_;
  for (std::int64_t i = 0; i < rollouts; ++i) {
    Batch one = draw_groups(state, 1, temperature, false, rng);
    const Decisions decisions = decide(state, one, temperature);
    draw_devices(decisions.devices, false, one, rng);
    states.push_back(state);
    devices.push_back(decisions.devices);
    if (decisions.choice.defined()) choices.push_back(decisions.choice);
    const std::vector<std::int64_t> group(one.group_of.begin(), one.group_of.end());
    state = state + decisions.renewed.index_select(0, index_tensor(group));
    drawn.batch.append(std::move(one), edges_.size());
  }
  drawn.x = torch::stack(states);
  drawn.old.devices = torch::cat(devices);
  if (!choices.empty()) drawn.old.choice = torch::cat(choices);
  return drawn;
}

// What each rollout's log p is multiplied by.
std::vector<double> HsdagLearner::weights_of(const std::vector<double>& reward, double mean) const {
  std::vector<double> weight(reward.size());
  if (!options_.advantage) {
    for (std::size_t i = 0; i < reward.size(); ++i)
      weight[i] = std::pow(options_.gamma, static_cast<double>(i + 1)) * reward[i];
    return weight;
  }
  const double count = static_cast<double>(reward.size());
  double squares = 0;
  for (const double r : reward) squares += (r - mean) * (r - mean);
  const double deviation = std::sqrt(squares / count);
  for (std::size_t i = 0; i < reward.size(); ++i) {
    const double others = count > 1 ? (count * mean - reward[i]) / (count - 1) : 0.0;
    weight[i] = (reward[i] - others) / (deviation + 1e-3);
  }
  return weight;
}

// The groups of all rollouts, as lists of sets.
std::vector<SetGroup> HsdagLearner::groups_of(const Batch& batch) const {
  std::vector<SetGroup> groups(static_cast<std::size_t>(batch.groups));
  for (std::size_t i = 0; i < batch.group_of.size(); ++i)
    groups[batch.group_of[i]].push_back(static_cast<std::uint32_t>(i % graph_.size()));
  return groups;
}

UpdateReport HsdagLearner::update(Scorer& scorer, Budget& budget, const Rng& rng, double progress) {
  const double temperature =
      options_.grouping == HsdagGrouping::kSampled ? 1.0 - 0.7 * progress : 1.0;
  const double beta = options_.entropy * std::pow(0.1, progress);
  std::int64_t rollouts = options_.rollouts;
  if (budget.limits().evaluations)
    rollouts = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(*budget.limits().evaluations - budget.evaluations()), 1, rollouts);
  Rng stream = rng.split("rollouts");
  network_->train();

  const Drawn drawn = draw_rollouts(rollouts, temperature, stream);
  const std::vector<Score> scores = scorer.score(drawn.batch.placements, budget);
  const std::vector<double> reward = rewards(scores);
  UpdateReport report;
  const double count = static_cast<double>(reward.size());
  report.reward = std::accumulate(reward.begin(), reward.end(), 0.0) / count;
  report.groups = static_cast<double>(drawn.batch.groups) / count;
  const std::vector<double> weight = weights_of(reward, report.reward);

  Rng replay = rng.split("replay");
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    const Decisions now = decide(drawn.x, drawn.batch, temperature);
    torch::Tensor loss = loss_of(now, drawn.old, drawn.batch, weight, beta, &report.entropy);
    if (options_.elite > 0 && epoch == 0 && !scorer.elite().empty()) {
      const SetDevices& target = scorer.elite()[replay.below(std::min(scorer.elite().size(), static_cast<std::size_t>(options_.elite)))]
              .devices;
      loss = loss + kReplayWeight * imitation_loss(target, temperature, replay);
    }
    report.losses.push_back(loss.item<double>());
    step(loss);
  }

  Rng moves = rng.split("refine");
  refine_elite(scorer, graph_, groups_of(drawn.batch), options_.refine, budget, moves);

  if (!budget.spent()) {  // what the policy would answer now, without chance
    const torch::NoGradGuard off;
    network_->eval();
    Rng unused = rng.split("greedy");
    Batch greedy = draw_groups(x_, 1, temperature, true, unused);
    draw_devices(decide(x_, greedy, temperature).devices, true, greedy, unused);
    scorer.score(greedy.placements, budget);
  }
  return report;
}

}  // namespace berth
