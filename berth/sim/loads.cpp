#include "berth/sim/loads.h"

#include <algorithm>
#include <cassert>

#include "berth/placement.h"
#include "berth/sim/transfer_table.h"

namespace berth {

void Loads::reset(std::size_t devices, std::size_t channels, std::size_t servers) {
  for (Half& h : half) {
    h.compute.assign(devices, 0.0);
    h.in.assign(devices, 0.0);
    h.out.assign(devices, 0.0);
    h.traffic.assign(channels, 0.0);
    h.network_in.assign(servers, 0.0);
    h.network_out.assign(servers, 0.0);
  }
  total = 0;
}

double Loads::device_total(DeviceId device) const {
  double sum = 0;
  for (const Half& h : half)
    sum += h.compute[index(device)] + h.in[index(device)] + h.out[index(device)] +
           (h.sync.empty() ? 0.0 : h.sync[index(device)]);
  return sum;
}

double network_load(Overlap overlap, const Loads::Half& half, std::size_t server) {
  const double in = half.network_in[server], out = half.network_out[server];
  return overlap == Overlap::kDuplex ? std::max(in, out) : in + out;
}

double load_objective(const ExecutionModel& model, const Loads& loads) {
  const MaxLoad* rules = model.as<MaxLoad>();
  if (rules == nullptr) return loads.total;
  const auto busiest = [&](const Loads::Half& half) {
    double largest = 0;
    for (std::size_t d = 0; d < half.compute.size(); ++d) {
      const double compute = half.compute[d], in = half.in[d], out = half.out[d];
      double load = 0;
      switch (rules->overlap) {
        case Overlap::kSum:
          load = compute + in + out;
          break;
        case Overlap::kMax:
          load = std::max(compute, in + out);
          break;
        case Overlap::kDuplex:
          load = std::max({compute, in, out});
          break;
      }
      if (!half.sync.empty()) load += half.sync[d];
      largest = std::max(largest, load);
    }
    for (const double traffic : half.traffic) largest = std::max(largest, traffic);
    for (std::size_t s = 0; s < half.network_in.size(); ++s)
      largest = std::max(largest, network_load(rules->overlap, half, s));
    return largest;
  };
  const double forward = busiest(loads.half[0]);
  return rules->training == TrainingSchedule::kGPipe ? forward + busiest(loads.half[1]) : forward;
}

struct LoadEvaluator::Flat {
  explicit Flat(const Problem& given)
      : problem(given),
        transfers(problem),
        devices(problem.device_count()),
        channels(problem.model().through_host() ? 0 : problem.cluster().channel_count()),
        call(problem.model().through_host()) {
    const Graph& graph = problem.graph();
    const bool apart = problem.model().halves_apart();
    const auto half_of = [&](NodeId node) -> std::uint8_t {
      return apart && graph.node(node).pass == Pass::kBackward ? 1 : 0;
    };
    for (const NodeId node : graph.nodes()) node_half.push_back(half_of(node));
    use_begin.push_back(0);
    for (const TensorId tensor : graph.tensors()) {
      producer.push_back(static_cast<std::uint32_t>(graph.producer(tensor)));
      tensor_half.push_back(half_of(graph.producer(tensor)));
      for (const NodeId consumer : graph.consumers(tensor))
        use.push_back(static_cast<std::uint32_t>(consumer));
      use_begin.push_back(static_cast<std::uint32_t>(use.size()));
    }
    channel_begin.push_back(0);
    for (const DeviceId from : problem.devices())
      for (const DeviceId to : problem.devices()) {
        if (!call && from != to)
          for (const ChannelId channel : problem.cluster().link(from, to).channels)
            channel_of_link.push_back(static_cast<std::uint32_t>(channel));
        channel_begin.push_back(static_cast<std::uint32_t>(channel_of_link.size()));
      }
    for (const DeviceId device : problem.devices())
      host.push_back(problem.cluster().device(device).is_host());
    per_tensor = problem.costs().transfers.source() == TransferSource::kPerTensor;
    if (call && !per_tensor)
      for (const DeviceId device : problem.devices())
        host_of.push_back(static_cast<std::uint32_t>(problem.cluster().host_of(device).value()));
    else
      host_of.assign(devices, 0);
    if (problem.counts_network()) {
      const Servers all = problem.cluster().servers();
      servers = all.count();
      for (const std::size_t server : all.of)
        server_of.push_back(static_cast<std::uint32_t>(server));
      for (const TensorId tensor : graph.tensors())
        network.push_back(problem.over_network(tensor).count());
    }
    gather_flows();
  }

  // A transfer takes  alpha(from,to) * a + beta(from,to) * b  with a and b of the tensor alone when
  // times come from links (startup, per byte) or are per tensor. Then one pass over the edges
  // only adds up (a,b) in a matrix by (from,to), without a branch; the matrix is priced at the end.
  // Tensors with one or two consumers need no memory of where they have been sent already.
  struct SingleUse {
    std::uint32_t producer, consumer, half;
    FlowCell flow;
  };
  struct TwoUses {
    std::uint32_t producer, first, second, half;
    FlowCell flow;
  };
  struct ManyUses {
    std::uint32_t producer, begin, end, half;
    FlowCell flow;
  };
  void gather_flows() {
    linear = problem.costs().transfers.source() != TransferSource::kPerTensorAndPair &&
             devices <= 64 && servers == 0;
    if (!linear) return;
    const Graph& graph = problem.graph();
    for (const TensorId tensor : graph.tensors()) {
      const std::uint32_t t = static_cast<std::uint32_t>(tensor);
      const double frequency = graph.node(graph.producer(tensor)).frequency;
      const FlowCell flow =
          per_tensor ? FlowCell{frequency * problem.costs().transfers.micros()[t], 0.0}
                     : FlowCell{frequency,
                                frequency * static_cast<double>(graph.tensor(tensor).size.count)};
      const std::uint32_t uses = use_begin[t + 1] - use_begin[t];
      if (uses == 1)
        singles.push_back({producer[t], use[use_begin[t]], tensor_half[t], flow});
      else if (uses == 2)
        pairs.push_back(
            {producer[t], use[use_begin[t]], use[use_begin[t] + 1], tensor_half[t], flow});
      else if (uses > 2)
        many.push_back({producer[t], use_begin[t], use_begin[t + 1], tensor_half[t], flow});
    }
    // Equal numbers of uses side by side: the processor then guesses the length of the inner loop.
    std::stable_sort(many.begin(), many.end(), [](const ManyUses& x, const ManyUses& y) {
      return x.end - x.begin < y.end - y.begin;
    });
  }
  double price(const FlowCell& flow, std::size_t from, std::size_t to) const {
    if (per_tensor) return flow.a;
    const Link& link =
        problem.cluster().link(static_cast<DeviceId>(from), static_cast<DeviceId>(to));
    return from == to ? 0.0
                      : flow.a * link.startup.count() + flow.b * (1e6 / link.bytes_per_second);
  }

  double read(std::uint32_t tensor, std::uint32_t device) const {
    return transfers(tensor, host_of[device], device);
  }
  double write(std::uint32_t tensor, std::uint32_t device) const {
    return transfers(tensor, device, host_of[device]);
  }

  // Adds `sign` times what one move of the tensor to `to` costs.
  void charge_move(Loads& loads, std::uint32_t tensor, std::uint32_t from, std::uint32_t to,
                   double sign) const {
    Loads::Half& half = loads.half[tensor_half[tensor]];
    if (call) {
      if (host[to]) return;
      const double time = sign * read(tensor, to);
      half.in[to] += time;
      loads.total += time;
      return;
    }
    const double time = sign * transfers(tensor, from, to);
    half.out[from] += time;
    half.in[to] += time;
    loads.total += time;
    const std::size_t link = from * devices + to;
    for (std::uint32_t c = channel_begin[link]; c < channel_begin[link + 1]; ++c)
      half.traffic[channel_of_link[c]] += time;
  }
  // Notes the server that a receiving device is in and charges it, if it is another one and new.
  void charge_arrival(Loads& loads, std::uint32_t tensor, std::uint32_t from, std::uint32_t to,
                      double sign, std::vector<std::uint32_t>& reached) const {
    const std::uint32_t server = server_of[to];
    if (server == server_of[from] ||
        std::find(reached.begin(), reached.end(), server) != reached.end())
      return;
    reached.push_back(server);
    loads.half[tensor_half[tensor]].network_in[server] += sign * network[tensor];
  }
  void charge_departure(Loads& loads, std::uint32_t tensor, std::uint32_t from, double sign) const {
    loads.half[tensor_half[tensor]].network_out[server_of[from]] += sign * network[tensor];
  }
  // Call model: the tensor leaves its device, once for all consumers.
  void charge_write(Loads& loads, std::uint32_t tensor, std::uint32_t from, double sign) const {
    if (host[from]) return;
    const double time = sign * write(tensor, from);
    loads.half[tensor_half[tensor]].out[from] += time;
    loads.total += time;
  }

  Problem problem;
  TransferTable transfers;
  std::size_t devices, channels;
  bool call;
  bool per_tensor = true;
  std::size_t servers = 0;                        // on a network that counts
  std::vector<std::uint32_t> host_of, server_of;  // by device
  std::vector<double> network;                    // by tensor
  std::vector<std::uint32_t> producer, use_begin, use, channel_begin, channel_of_link;
  std::vector<std::uint8_t> tensor_half, node_half, host;
  bool linear = false;
  std::vector<SingleUse> singles;
  std::vector<TwoUses> pairs;
  std::vector<ManyUses> many;
};

LoadEvaluator::LoadEvaluator(const Problem& problem)
    : flat_(std::make_shared<const Flat>(problem)) {}
LoadEvaluator::~LoadEvaluator() = default;
LoadEvaluator::LoadEvaluator(LoadEvaluator&&) noexcept = default;
LoadEvaluator& LoadEvaluator::operator=(LoadEvaluator&&) noexcept = default;

double LoadEvaluator::run(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  assert(device_of.size() == flat.node_half.size());
  loads_.reset(flat.devices, flat.channels, flat.servers);
  const bool halves = flat.problem.model().halves_apart();
  if (halves)
    add_compute<true>(device_of);
  else
    add_compute<false>(device_of);
  if (!flat.linear)
    add_moves(device_of);
  else if (halves)
    add_flows<true>(device_of);
  else
    add_flows<false>(device_of);
  for (const Loads::Half& half : loads_.half)
    for (const double compute : half.compute) loads_.total += compute;
  return load_objective(flat.problem.model(), loads_);
}

template <bool kHalves>
void LoadEvaluator::add_compute(std::span<const DeviceId> device_of) {
  const std::size_t devices = flat_->devices, nodes = device_of.size();
  const double* times = flat_->problem.time_row(NodeId{0}).data();
  if constexpr (kHalves) {
    double* const compute[2] = {loads_.half[0].compute.data(), loads_.half[1].compute.data()};
    const std::uint8_t* const half = flat_->node_half.data();
    for (std::size_t node = 0; node < nodes; ++node, times += devices) {
      const std::size_t device = index(device_of[node]);
      compute[half[node]][device] += times[device];
    }
  } else {
    // Four sums per device, by turns: a sum that was just written is not waited for.
    constexpr std::size_t kSums = 4;
    sums_.assign(kSums * devices, 0.0);
    double* const sums = sums_.data();
    std::size_t node = 0;
    for (; node + kSums <= nodes; node += kSums)
      for (std::size_t turn = 0; turn < kSums; ++turn, times += devices) {
        const std::size_t device = index(device_of[node + turn]);
        sums[turn * devices + device] += times[device];
      }
    for (; node < nodes; ++node, times += devices)
      sums[index(device_of[node])] += times[index(device_of[node])];
    for (std::size_t i = 0; i < kSums * devices; ++i)
      loads_.half[0].compute[i % devices] += sums[i];
  }
}

template <bool kHalves>
void LoadEvaluator::add_flows(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  const std::size_t devices = flat.devices, cells = devices * devices;
  // Three matrices per half: tensors with one consumer, with several, and (first row) what leaves
  // a device of the latter. Diagonals gather what stays and are never read.
  constexpr std::size_t kHalfCount = kHalves ? 2 : 1;
  flows_.assign(kHalfCount * 3 * cells, {});
  stamp_.assign(devices, 0);
  FlowCell* const matrices = flows_.data();
  std::uint32_t* const stamps = stamp_.data();
  const auto matrix_of = [&](std::uint32_t half) {
    return kHalves ? matrices + half * 3 * cells : matrices;
  };
  for (const Flat::SingleUse& use : flat.singles) {
    FlowCell& cell = matrix_of(
        use.half)[index(device_of[use.producer]) * devices + index(device_of[use.consumer])];
    cell.a += use.flow.a;
    cell.b += use.flow.b;
  }
  const auto leave = [&](std::uint32_t half, std::size_t from, bool leaves, const FlowCell& flow) {
    const double share = leaves ? 1.0 : 0.0;
    FlowCell& left = matrix_of(half)[2 * cells + from];
    left.a += share * flow.a;
    left.b += share * flow.b;
  };
  for (const Flat::TwoUses& uses : flat.pairs) {
    const std::size_t from = index(device_of[uses.producer]);
    const std::size_t one = index(device_of[uses.first]), other = index(device_of[uses.second]);
    FlowCell* const row = matrix_of(uses.half) + cells + from * devices;
    const double fresh = one != other ? 1.0 : 0.0;
    row[one].a += uses.flow.a;
    row[one].b += uses.flow.b;
    row[other].a += fresh * uses.flow.a;
    row[other].b += fresh * uses.flow.b;
    leave(uses.half, from, ((one ^ from) | (other ^ from)) != 0, uses.flow);
  }
  std::uint32_t stamp = 0;
  for (const Flat::ManyUses& uses : flat.many) {
    ++stamp;
    const std::size_t from = index(device_of[uses.producer]);
    FlowCell* const row = matrix_of(uses.half) + cells + from * devices;
    std::size_t elsewhere = 0;
    for (std::uint32_t u = uses.begin; u < uses.end; ++u) {
      const std::size_t to = index(device_of[flat.use[u]]);
      const double fresh = stamps[to] != stamp ? 1.0 : 0.0;
      stamps[to] = stamp;
      row[to].a += fresh * uses.flow.a;
      row[to].b += fresh * uses.flow.b;
      elsewhere |= to ^ from;
    }
    leave(uses.half, from, elsewhere != 0, uses.flow);
  }
  for (std::uint32_t half = 0; half < kHalfCount; ++half)
    for (std::size_t from = 0; from < devices; ++from) price_row(half, from, matrix_of(half));
}

void LoadEvaluator::price_row(std::size_t half, std::size_t from, const FlowCell* matrix) {
  const Flat& flat = *flat_;
  const std::size_t devices = flat.devices, cells = devices * devices;
  Loads::Half& sums = loads_.half[half];
  FlowCell left = matrix[2 * cells + from];
  for (std::size_t to = 0; to < devices; ++to) {
    if (to == from) continue;
    const FlowCell &one = matrix[from * devices + to], &more = matrix[cells + from * devices + to];
    const FlowCell flow{one.a + more.a, one.b + more.b};
    left.a += one.a;
    left.b += one.b;
    if (flat.call) {
      const double time = flat.host[to] ? 0.0 : flat.price(flow, flat.host_of[to], to);
      sums.in[to] += time;
      loads_.total += time;
      continue;
    }
    const double time = flat.price(flow, from, to);
    sums.out[from] += time;
    sums.in[to] += time;
    loads_.total += time;
    const std::size_t link = from * devices + to;
    for (std::uint32_t c = flat.channel_begin[link]; c < flat.channel_begin[link + 1]; ++c)
      sums.traffic[flat.channel_of_link[c]] += time;
  }
  if (!flat.call || flat.host[from]) return;
  const double time = flat.price(left, from, flat.host_of[from]);
  sums.out[from] += time;
  loads_.total += time;
}

void LoadEvaluator::add_moves(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  stamp_.assign(flat.devices, 0);
  for (std::uint32_t tensor = 0; tensor < flat.producer.size(); ++tensor) {
    const std::uint32_t from = static_cast<std::uint32_t>(device_of[flat.producer[tensor]]);
    bool leaves = false;
    reached_.clear();
    for (std::uint32_t u = flat.use_begin[tensor]; u < flat.use_begin[tensor + 1]; ++u) {
      const std::uint32_t to = static_cast<std::uint32_t>(device_of[flat.use[u]]);
      if (to == from || stamp_[to] == tensor + 1) continue;
      stamp_[to] = tensor + 1;
      leaves = true;
      flat.charge_move(loads_, tensor, from, to, 1.0);
      if (flat.servers > 0) flat.charge_arrival(loads_, tensor, from, to, 1.0, reached_);
    }
    if (leaves && flat.call) flat.charge_write(loads_, tensor, from, 1.0);
    if (!reached_.empty()) flat.charge_departure(loads_, tensor, from, 1.0);
  }
}

LoadState::LoadState(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of)
    : problem_(problem), unit_device_(device_of) {
  LoadEvaluator evaluator(problem);
  const Placement placement = from_units(problem, device_of);
  evaluator.run(placement.device_of.items());
  flat_ = evaluator.flat_;
  for (const DeviceId device : placement.device_of)
    device_.push_back(static_cast<std::uint16_t>(device));
  loads_ = std::move(evaluator.loads_);
  const std::size_t tensors = flat_->producer.size();
  uses_.resize(flat_->use.size());
  use_count_.assign(tensors, 0);
  touched_stamp_.assign(tensors, 0);
  for (std::uint32_t tensor = 0; tensor < tensors; ++tensor)
    for (std::uint32_t u = flat_->use_begin[tensor]; u < flat_->use_begin[tensor + 1]; ++u)
      count_use(tensor, device_[flat_->use[u]], 1);
}
LoadState::~LoadState() = default;
LoadState::LoadState(LoadState&&) noexcept = default;
LoadState& LoadState::operator=(LoadState&&) noexcept = default;

void LoadState::count_use(std::uint32_t tensor, std::uint16_t device, int change) {
  Use* const first = &uses_[flat_->use_begin[tensor]];
  Use* const last = first + use_count_[tensor];
  for (Use* use = first; use != last; ++use)
    if (use->device == device) {
      use->count = static_cast<std::uint32_t>(static_cast<int>(use->count) + change);
      if (use->count == 0) {
        *use = *(last - 1);
        --use_count_[tensor];
      }
      return;
    }
  assert(change > 0);
  *last = {device, static_cast<std::uint32_t>(change)};
  ++use_count_[tensor];
}

void LoadState::charge(std::uint32_t tensor, double sign) {
  const LoadEvaluator::Flat& flat = *flat_;
  const std::uint16_t from = device_[flat.producer[tensor]];
  const Use* const first = uses_.data() + flat.use_begin[tensor];
  bool leaves = false;
  reached_.clear();
  for (const Use* use = first; use != first + use_count_[tensor]; ++use) {
    if (use->device == from) continue;
    leaves = true;
    flat.charge_move(loads_, tensor, from, use->device, sign);
    if (flat.servers > 0) flat.charge_arrival(loads_, tensor, from, use->device, sign, reached_);
  }
  if (leaves && flat.call) flat.charge_write(loads_, tensor, from, sign);
  if (!reached_.empty()) flat.charge_departure(loads_, tensor, from, sign);
}

void LoadState::move(UnitId unit, DeviceId device) {
  const DeviceId old = unit_device_[unit];
  if (old == device) return;
  const Graph& graph = problem_.graph();
  const std::uint16_t from = static_cast<std::uint16_t>(old);
  const std::uint16_t to = static_cast<std::uint16_t>(device);
  ++stamp_;
  touched_.clear();
  const auto touch = [&](TensorId tensor) {
    const std::uint32_t t = static_cast<std::uint32_t>(tensor);
    if (touched_stamp_[t] == stamp_) return;
    touched_stamp_[t] = stamp_;
    touched_.push_back(t);
    charge(t, -1.0);
  };
  for (const NodeId node : problem_.members(unit)) {
    for (const TensorId tensor : graph.outputs(node)) touch(tensor);
    for (const TensorId tensor : graph.inputs(node)) touch(tensor);
  }
  for (const NodeId node : problem_.members(unit)) {
    device_[index(node)] = to;
    const std::span<const double> times = problem_.time_row(node);
    std::vector<double>& compute = loads_.half[flat_->node_half[index(node)]].compute;
    compute[from] -= times[from];
    compute[to] += times[to];
    loads_.total += times[to] - times[from];
    for (const TensorId tensor : graph.inputs(node)) {
      count_use(static_cast<std::uint32_t>(tensor), from, -1);
      count_use(static_cast<std::uint32_t>(tensor), to, 1);
    }
  }
  for (const std::uint32_t tensor : touched_) charge(tensor, 1.0);
  unit_device_[unit] = device;
}

double LoadState::value() const { return load_objective(problem_.model(), loads_); }

double LoadState::load(DeviceId device) const { return loads_.device_total(device); }

}  // namespace berth
