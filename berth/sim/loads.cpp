#include "berth/sim/loads.h"

#include <algorithm>
#include <cassert>

#include "berth/placement.h"
#include "berth/sim/transfer_table.h"

namespace berth {

void Loads::reset(std::size_t devices, std::size_t channels) {
  for (Half& h : half) {
    h.compute.assign(devices, 0.0);
    h.in.assign(devices, 0.0);
    h.out.assign(devices, 0.0);
    h.traffic.assign(channels, 0.0);
  }
  total = 0;
}

double Loads::device_total(DeviceId device) const {
  double sum = 0;
  for (const Half& h : half)
    sum += h.compute[index(device)] + h.in[index(device)] + h.out[index(device)];
  return sum;
}

double load_objective(const ExecutionModel& model, const Loads& loads) {
  if (model.execution == Execution::kSequential) return loads.total;
  const auto busiest = [&](const Loads::Half& half) {
    double largest = 0;
    for (std::size_t d = 0; d < half.compute.size(); ++d) {
      const double compute = half.compute[d], in = half.in[d], out = half.out[d];
      double load = 0;
      switch (model.overlap) {
        case Overlap::kSum: load = compute + in + out; break;
        case Overlap::kMax: load = std::max(compute, in + out); break;
        case Overlap::kDuplex: load = std::max({compute, in, out}); break;
      }
      largest = std::max(largest, load);
    }
    for (const double traffic : half.traffic) largest = std::max(largest, traffic);
    return largest;
  };
  const double forward = busiest(loads.half[0]);
  return model.training == TrainingSchedule::kGPipe ? forward + busiest(loads.half[1]) : forward;
}

struct LoadEvaluator::Flat {
  explicit Flat(const Problem& given)
      : problem(given), transfers(problem), devices(problem.device_count()),
        channels(problem.execution() == Execution::kCall ? 0 : problem.cluster().channel_count()),
        call(problem.execution() == Execution::kCall) {
    const Graph& graph = problem.graph();
    const bool apart = problem.model().training == TrainingSchedule::kGPipe;
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
    if (!call) return;
    for (const DeviceId device : problem.devices())
      host.push_back(problem.cluster().device(device).is_host());
    per_tensor = problem.costs().transfers.source() == TransferSource::kPerTensor;
    if (!per_tensor)
      host_device = static_cast<std::uint32_t>(problem.cluster().host().value());
  }

  double read(std::uint32_t tensor, std::uint32_t device) const {
    return transfers(tensor, per_tensor ? 0 : host_device, device);
  }
  double write(std::uint32_t tensor, std::uint32_t device) const {
    return transfers(tensor, device, per_tensor ? 0 : host_device);
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
  std::uint32_t host_device = 0;
  std::vector<std::uint32_t> producer, use_begin, use, channel_begin, channel_of_link;
  std::vector<std::uint8_t> tensor_half, node_half, host;
};

LoadEvaluator::LoadEvaluator(const Problem& problem)
    : flat_(std::make_shared<const Flat>(problem)) {}
LoadEvaluator::~LoadEvaluator() = default;
LoadEvaluator::LoadEvaluator(LoadEvaluator&&) noexcept = default;
LoadEvaluator& LoadEvaluator::operator=(LoadEvaluator&&) noexcept = default;

double LoadEvaluator::run(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  const std::size_t nodes = device_of.size();
  const std::size_t tensors = flat.producer.size();
  assert(nodes == flat.node_half.size());
  loads_.reset(flat.devices, flat.channels);
  device_.resize(nodes);
  stamp_.assign(flat.devices, 0);

  const double* times = flat.problem.time_row(NodeId{0}).data();
  for (std::size_t node = 0; node < nodes; ++node, times += flat.devices) {
    const std::size_t device = index(device_of[node]);
    device_[node] = static_cast<std::uint16_t>(device);
    loads_.half[flat.node_half[node]].compute[device] += times[device];
  }
  for (std::uint32_t tensor = 0; tensor < tensors; ++tensor) {
    const std::uint16_t from = device_[flat.producer[tensor]];
    bool leaves = false;
    for (std::uint32_t u = flat.use_begin[tensor]; u < flat.use_begin[tensor + 1]; ++u) {
      const std::uint16_t to = device_[flat.use[u]];
      if (to == from || stamp_[to] == tensor + 1) continue;
      stamp_[to] = tensor + 1;
      leaves = true;
      flat.charge_move(loads_, tensor, from, to, 1.0);
    }
    if (leaves && flat.call) flat.charge_write(loads_, tensor, from, 1.0);
  }
  for (const Loads::Half& half : loads_.half)
    for (const double compute : half.compute) loads_.total += compute;
  return load_objective(flat.problem.model(), loads_);
}

LoadState::LoadState(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of)
    : problem_(problem), unit_device_(device_of) {
  LoadEvaluator evaluator(problem);
  const Placement placement = from_units(problem, device_of);
  evaluator.run(placement.device_of.items());
  flat_ = evaluator.flat_;
  device_ = std::move(evaluator.device_);
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
  for (const Use* use = first; use != first + use_count_[tensor]; ++use) {
    if (use->device == from) continue;
    leaves = true;
    flat.charge_move(loads_, tensor, from, use->device, sign);
  }
  if (leaves && flat.call) flat.charge_write(loads_, tensor, from, sign);
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
