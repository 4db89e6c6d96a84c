#include "berth/sim/loads.h"

#include "berth/sim/load_tables.h"

namespace berth {

void Loads::reset(std::size_t devices, std::size_t channels, std::size_t servers) {
  for (Half& h : half) {
    for (std::vector<double>* sums : {&h.compute, &h.in, &h.out}) sums->assign(devices, 0.0);
    h.traffic.assign(channels, 0.0);
    for (std::vector<double>* sums : {&h.network_in, &h.network_out}) sums->assign(servers, 0.0);
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

double load_objective(const ExecutionModel& model, const Loads& loads) {
  const MaxLoad* rules = model.as<MaxLoad>();
  if (rules == nullptr) return loads.total;
  const auto busiest = [&](const Loads::Half& half) {
    double largest = 0;
    for (std::size_t d = 0; d < half.compute.size(); ++d) {
      double load = overlapped(rules->overlap, half.compute[d], half.in[d], half.out[d]);
      if (!half.sync.empty()) load += half.sync[d];
      largest = std::max(largest, load);
    }
    for (const double traffic : half.traffic) largest = std::max(largest, traffic);
    for (std::size_t s = 0; s < half.network_in.size(); ++s)
      largest =
          std::max(largest, overlapped(rules->overlap, 0, half.network_in[s], half.network_out[s]));
    return largest;
  };
  const double forward = busiest(loads.half[0]);
  return rules->training == TrainingSchedule::kGPipe ? forward + busiest(loads.half[1]) : forward;
}

LoadEvaluator::LoadEvaluator(const Problem& problem)
    : tables_(std::make_shared<const LoadTables>(problem)) {}

double LoadEvaluator::run(std::span<const DeviceId> device_of) {
  const LoadTables& tables = *tables_;
  assert(device_of.size() == tables.node_half.size());
  loads_.reset(tables.devices, tables.channels, tables.servers);
  const bool halves = tables.problem.model().halves_apart();
  if (halves)
    add_compute<true>(device_of);
  else
    add_compute<false>(device_of);
  if (!tables.linear)
    add_moves(device_of);
  else if (halves)
    add_flows<true>(device_of);
  else
    add_flows<false>(device_of);
  for (const Loads::Half& half : loads_.half)
    for (const double compute : half.compute) loads_.total += compute;
  return load_objective(tables.problem.model(), loads_);
}

template <bool kHalves>
void LoadEvaluator::add_compute(std::span<const DeviceId> device_of) {
  const std::size_t devices = tables_->devices, nodes = device_of.size();
  const double* times = tables_->problem.time_row(NodeId{0}).data();
  if constexpr (kHalves) {
    double* const compute[2] = {loads_.half[0].compute.data(), loads_.half[1].compute.data()};
    const std::uint8_t* const half = tables_->node_half.data();
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
  const LoadTables& tables = *tables_;
  const std::size_t devices = tables.devices, cells = devices * devices;
  // Three matrices per half: tensors with one consumer, with several, and (first row) what leaves
  // a device of the latter. Diagonals gather what stays and are never read.
  constexpr std::size_t kHalfCount = kHalves ? 2 : 1;
  flows_.assign(kHalfCount * 3 * cells, {});
  stamp_.assign(devices, 0);
  Flow* const matrices = flows_.data();
  std::uint32_t* const stamps = stamp_.data();
  const auto matrix_of = [&](std::uint32_t half) {
    return kHalves ? matrices + half * 3 * cells : matrices;
  };
  for (const LoadTables::SingleUse& use : tables.singles) {
    Flow* const row = matrix_of(use.half) + index(device_of[use.producer]) * devices;
    row[index(device_of[use.consumer])].add(use.flow);
  }
  const auto leave = [&](std::uint32_t half, std::size_t from, bool leaves, const Flow& flow) {
    matrix_of(half)[2 * cells + from].add(flow, leaves ? 1.0 : 0.0);
  };
  for (const LoadTables::TwoUses& uses : tables.pairs) {
    const std::size_t from = index(device_of[uses.producer]);
    const std::size_t one = index(device_of[uses.first]), other = index(device_of[uses.second]);
    Flow* const row = matrix_of(uses.half) + cells + from * devices;
    row[one].add(uses.flow);
    row[other].add(uses.flow, one != other ? 1.0 : 0.0);
    leave(uses.half, from, ((one ^ from) | (other ^ from)) != 0, uses.flow);
  }
  std::uint32_t stamp = 0;
  for (const LoadTables::ManyUses& uses : tables.many) {
    ++stamp;
    const std::size_t from = index(device_of[uses.producer]);
    Flow* const row = matrix_of(uses.half) + cells + from * devices;
    std::size_t elsewhere = 0;
    for (std::uint32_t u = uses.begin; u < uses.end; ++u) {
      const std::size_t to = index(device_of[tables.use[u]]);
      row[to].add(uses.flow, stamps[to] != stamp ? 1.0 : 0.0);
      stamps[to] = stamp;
      elsewhere |= to ^ from;
    }
    leave(uses.half, from, elsewhere != 0, uses.flow);
  }
  for (std::uint32_t half = 0; half < kHalfCount; ++half)
    for (std::size_t from = 0; from < devices; ++from) price_row(half, from, matrix_of(half));
}

void LoadEvaluator::price_row(std::size_t half, std::size_t from, const Flow* matrix) {
  const LoadTables& tables = *tables_;
  const std::size_t devices = tables.devices, cells = devices * devices;
  Flow left = matrix[2 * cells + from];
  for (std::size_t to = 0; to < devices; ++to) {
    if (to == from) continue;
    Flow flow = matrix[from * devices + to];
    left.add(flow);
    flow.add(matrix[cells + from * devices + to]);
    tables.add_move(loads_, half, from, to, tables.move_time(flow, from, to));
  }
  if (tables.call) tables.add_write(loads_, half, from, tables.write_time(left, from));
}

void LoadEvaluator::add_moves(std::span<const DeviceId> device_of) {
  const LoadTables& tables = *tables_;
  stamp_.assign(tables.devices, 0);
  std::vector<LoadTables::Receiver> receivers;
  std::vector<std::uint32_t> reached;
  for (std::uint32_t tensor = 0; tensor < tables.producer.size(); ++tensor) {
    receivers.clear();
    for (std::uint32_t u = tables.use_begin[tensor]; u < tables.use_begin[tensor + 1]; ++u) {
      const DeviceId to = device_of[tables.use[u]];
      if (std::exchange(stamp_[index(to)], tensor + 1) != tensor + 1)
        receivers.push_back({static_cast<std::uint16_t>(to), 1});
    }
    const auto from = static_cast<std::uint32_t>(device_of[tables.producer[tensor]]);
    tables.charge(loads_, tensor, from, receivers, 1.0, reached);
  }
}

}  // namespace berth
