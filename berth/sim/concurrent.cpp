#include "berth/sim/concurrent.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "berth/graph/order.h"
#include "berth/sim/transfer_table.h"

namespace berth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

// Nodes are renumbered by priority: the heap of ready nodes then holds plain numbers, and memory
// is touched roughly in the order of execution.
struct ConcurrentSimulator::Flat {
  explicit Flat(const Problem& given)
      : problem(given), transfers(problem), order(priority_order(problem)),
        device_count(problem.device_count()) {
    const Graph& graph = problem.graph();
    const IdVector<NodeId, std::uint32_t> rank = positions(order);
    times.reserve(order.size() * device_count);
    output_begin.push_back(0);
    use_begin.push_back(0);
    for (const NodeId node : order) {
      const std::span<const double> row = problem.time_row(node);
      times.insert(times.end(), row.begin(), row.end());
      input_count.push_back(static_cast<std::uint32_t>(graph.inputs(node).size()));
      for (const TensorId tensor : graph.outputs(node)) {
        if (graph.consumers(tensor).empty()) continue;
        output.push_back(static_cast<std::uint32_t>(tensor));
        for (const NodeId consumer : graph.consumers(tensor)) use.push_back(rank[consumer]);
        use_begin.push_back(static_cast<std::uint32_t>(use.size()));
      }
      output_begin.push_back(static_cast<std::uint32_t>(output.size()));
    }
    channel_begin.push_back(0);
    for (const DeviceId from : problem.devices())
      for (const DeviceId to : problem.devices()) {
        if (from != to)
          for (const ChannelId channel : problem.cluster().link(from, to).channels)
            channel_of_link.push_back(static_cast<std::uint32_t>(channel));
        channel_begin.push_back(static_cast<std::uint32_t>(channel_of_link.size()));
      }
  }

  Problem problem;
  TransferTable transfers;
  std::vector<NodeId> order;  // of the problem, by priority
  std::size_t device_count;
  std::vector<double> times;
  std::vector<std::uint32_t> input_count, output_begin, output, use_begin, use;
  std::vector<std::uint32_t> channel_begin, channel_of_link;
};

struct ConcurrentSimulator::State {
  struct Arrival {
    double time;
    std::uint32_t node;
    bool operator<(const Arrival& other) const {  // for a heap with the earliest on top
      return time != other.time ? time > other.time : node > other.node;
    }
  };
  struct Worker {
    double finish = kNever;             // of the running node
    double start = kNever;              // earliest time at which an idle device could start
    std::uint32_t running = 0;
    std::uint32_t next = 0, end = 0;    // strict order: its part of `sequence`
    std::vector<std::uint32_t> ready;   // heap by priority
    std::vector<Arrival> arrivals;      // heap by time: inputs are still under way
  };
  struct Input {
    double ready = 0;           // when the last known input is on the device
    std::uint32_t missing = 0;  // inputs whose producers have not finished
  };

  std::vector<Worker> workers;
  std::vector<Input> inputs;
  std::vector<std::uint16_t> device;
  std::vector<double> channel_free, received;
  std::vector<std::uint32_t> received_stamp;
  std::vector<std::uint32_t> sequence, position;
  std::vector<double> start_time;  // recording only
};

ConcurrentSimulator::ConcurrentSimulator(const Problem& problem)
    : flat_(std::make_unique<const Flat>(problem)), state_(std::make_unique<State>()) {}
ConcurrentSimulator::~ConcurrentSimulator() = default;
ConcurrentSimulator::ConcurrentSimulator(ConcurrentSimulator&&) noexcept = default;
ConcurrentSimulator& ConcurrentSimulator::operator=(ConcurrentSimulator&&) noexcept = default;

template <bool kRecord>
double ConcurrentSimulator::simulate(std::span<const DeviceId> device_of,
                                     std::span<const NodeId> order, Schedule* schedule) {
  using Worker = State::Worker;
  const Flat& flat = *flat_;
  State& s = *state_;
  const std::size_t nodes = flat.order.size();
  const std::size_t devices = flat.device_count;
  const bool strict = !order.empty();
  assert(device_of.size() == nodes);

  s.inputs.resize(nodes);
  s.device.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    s.inputs[i] = {0.0, flat.input_count[i]};
    s.device[i] = static_cast<std::uint16_t>(device_of[index(flat.order[i])]);
  }
  s.channel_free.assign(flat.problem.cluster().channel_count(), 0.0);
  s.received.resize(devices);
  s.received_stamp.assign(devices, 0);
  s.workers.resize(devices);
  for (Worker& worker : s.workers) {
    worker.finish = worker.start = kNever;
    worker.ready.clear();
    worker.arrivals.clear();
  }
  if constexpr (kRecord) s.start_time.assign(nodes, 0.0);

  if (strict) {  // each device's nodes, in the given order, one device after another
    s.position.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) s.position[index(flat.order[i])] = static_cast<std::uint32_t>(i);
    for (Worker& worker : s.workers) worker.end = 0;
    for (std::size_t i = 0; i < nodes; ++i) ++s.workers[s.device[i]].end;
    std::uint32_t begin = 0;
    for (Worker& worker : s.workers) {
      worker.next = begin;
      begin += worker.end;
      worker.end = worker.next;
    }
    s.sequence.resize(nodes);
    for (const NodeId node : order) {
      const std::uint32_t at = s.position[index(node)];
      s.sequence[s.workers[s.device[at]].end++] = at;
    }
  }

  // The node's inputs will all be on its device at `ready`; `now` is the current time.
  const auto enable = [&](std::uint32_t node, double ready, double now) {
    Worker& worker = s.workers[s.device[node]];
    if (strict) {
      if (worker.finish == kNever && worker.next < worker.end && s.sequence[worker.next] == node)
        worker.start = std::max(now, ready);
      return;
    }
    if (ready <= now) {
      worker.ready.push_back(node);
      std::push_heap(worker.ready.begin(), worker.ready.end(), std::greater<>());
      if (worker.finish == kNever) worker.start = std::min(worker.start, now);
    } else {
      worker.arrivals.push_back({ready, node});
      std::push_heap(worker.arrivals.begin(), worker.arrivals.end());
      if (worker.finish == kNever) worker.start = std::min(worker.start, ready);
    }
  };

  // When the device, idle from `now`, could start its next node.
  const auto next_start = [&](const Worker& worker, double now) {
    if (strict) {
      if (worker.next == worker.end) return kNever;
      const State::Input& input = s.inputs[s.sequence[worker.next]];
      return input.missing == 0 ? std::max(now, input.ready) : kNever;
    }
    if (!worker.ready.empty()) return now;
    return worker.arrivals.empty() ? kNever : std::max(now, worker.arrivals.front().time);
  };

  const auto take_next = [&](Worker& worker, double now) -> std::uint32_t {
    if (strict) return s.sequence[worker.next++];
    while (!worker.arrivals.empty() && worker.arrivals.front().time <= now) {
      std::pop_heap(worker.arrivals.begin(), worker.arrivals.end());
      worker.ready.push_back(worker.arrivals.back().node);
      worker.arrivals.pop_back();
      std::push_heap(worker.ready.begin(), worker.ready.end(), std::greater<>());
    }
    std::pop_heap(worker.ready.begin(), worker.ready.end(), std::greater<>());
    const std::uint32_t node = worker.ready.back();
    worker.ready.pop_back();
    return node;
  };

  // The tensor is asked for on `to`; when it will be there.
  const auto send = [&](std::uint32_t tensor, std::uint32_t from, std::uint32_t to, double now) {
    const std::size_t link = from * devices + to;
    double start = now;
    for (std::uint32_t c = flat.channel_begin[link]; c < flat.channel_begin[link + 1]; ++c)
      start = std::max(start, s.channel_free[flat.channel_of_link[c]]);
    const double finish = start + flat.transfers(tensor, from, to);
    for (std::uint32_t c = flat.channel_begin[link]; c < flat.channel_begin[link + 1]; ++c)
      s.channel_free[flat.channel_of_link[c]] = finish;
    if constexpr (kRecord)
      schedule->moves.push_back({static_cast<TensorId>(tensor), static_cast<DeviceId>(from),
                                 static_cast<DeviceId>(to), Duration{start}, Duration{finish}});
    return finish;
  };

  for (std::size_t i = 0; i < nodes; ++i)
    if (flat.input_count[i] == 0) enable(static_cast<std::uint32_t>(i), 0.0, 0.0);
  if (strict)
    for (Worker& worker : s.workers) worker.start = next_start(worker, 0.0);

  double makespan = 0;
  std::uint32_t stamp = 0;
  Worker* const workers = s.workers.data();
  for (std::size_t done = 0; done < nodes;) {
    std::size_t finisher = 0, starter = 0;
    for (std::size_t d = 1; d < devices; ++d) {
      if (workers[d].finish < workers[finisher].finish) finisher = d;
      if (workers[d].start < workers[starter].start) starter = d;
    }

    if (workers[starter].start < workers[finisher].finish) {
      Worker& worker = workers[starter];
      const double now = worker.start;
      const std::uint32_t node = take_next(worker, now);
      worker.running = node;
      worker.finish = now + flat.times[node * devices + starter];
      worker.start = kNever;
      if constexpr (kRecord) s.start_time[node] = now;
      if (worker.finish == kNever) return kNever;  // the device cannot run the node
      continue;
    }

    Worker& worker = workers[finisher];
    const double now = worker.finish;
    if (now == kNever) return kNever;  // nothing can ever start: an order that is not topological
    const std::uint32_t node = worker.running;
    const std::uint32_t from = static_cast<std::uint32_t>(finisher);
    ++done;
    makespan = now;
    if constexpr (kRecord)
      schedule->runs.push_back({flat.order[node], static_cast<DeviceId>(from),
                                Duration{s.start_time[node]}, Duration{now}});
    for (std::uint32_t t = flat.output_begin[node]; t < flat.output_begin[node + 1]; ++t) {
      ++stamp;
      for (std::uint32_t u = flat.use_begin[t]; u < flat.use_begin[t + 1]; ++u) {
        const std::uint32_t consumer = flat.use[u];
        const std::uint32_t to = s.device[consumer];
        double arrival = now;
        if (to != from) {
          if (s.received_stamp[to] != stamp) {
            s.received_stamp[to] = stamp;
            s.received[to] = send(flat.output[t], from, to, now);
          }
          arrival = s.received[to];
        }
        State::Input& input = s.inputs[consumer];
        input.ready = std::max(input.ready, arrival);
        if (--input.missing == 0) enable(consumer, input.ready, now);
      }
    }
    worker.finish = kNever;
    worker.start = next_start(worker, now);
  }
  return makespan;
}

Duration ConcurrentSimulator::run(std::span<const DeviceId> device_of,
                                  std::span<const NodeId> order) {
  return Duration{simulate<false>(device_of, order, nullptr)};
}

Schedule ConcurrentSimulator::record(std::span<const DeviceId> device_of,
                                     std::span<const NodeId> order) {
  Schedule schedule;
  schedule.makespan = Duration{simulate<true>(device_of, order, &schedule)};
  std::stable_sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.start, a.device) < std::pair(b.start, b.device);
  });
  std::stable_sort(schedule.moves.begin(), schedule.moves.end(),
                   [](const Move& a, const Move& b) { return a.start < b.start; });
  return schedule;
}

}  // namespace berth
