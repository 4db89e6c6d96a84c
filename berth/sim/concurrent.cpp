#include "berth/sim/concurrent.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

#include "berth/graph/order.h"
#include "berth/sim/transfer_table.h"

namespace berth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The next event of a device as one number: a busy device finishes, an idle one starts. Times are
// not negative, so the bits of a double order like the number and the sign bit is free to make
// room for the kind: completions come before starts at equal times.
using EventKey = std::uint64_t;
constexpr EventKey finish_key(double time) { return std::bit_cast<std::uint64_t>(time) << 1; }
constexpr EventKey start_key(double time) { return finish_key(time) | 1; }
constexpr bool is_start(EventKey key) { return (key & 1) != 0; }
constexpr double time_of(EventKey key) { return std::bit_cast<double>(key >> 1); }
constexpr EventKey kIdleForever = start_key(kNever);

// Binary heaps in a caller's array; smallest on top. The child is chosen without a branch.
template <class T>
void heap_push(T* heap, std::uint32_t& size, T item) {
  std::uint32_t at = size++;
  while (at > 0) {
    const std::uint32_t parent = (at - 1) / 2;
    if (!(item < heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

template <class T>
T heap_pop(T* heap, std::uint32_t& size) {
  const T top = heap[0];
  const T item = heap[--size];
  std::uint32_t at = 0;
  for (std::uint32_t child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size) child += static_cast<std::uint32_t>(heap[child + 1] < heap[child]);
    if (!(heap[child] < item)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
  return top;
}

struct Arrival {  // a node whose last input is still under way
  double time;
  std::uint32_t node;
  bool operator<(const Arrival& other) const { return time < other.time; }
};

}  // namespace

// Nodes are renumbered by priority: the heap of ready nodes then holds plain numbers, and memory
// is touched roughly in the order of execution.
struct ConcurrentSimulator::Flat {
  struct Use {
    std::uint32_t consumer, tensor;
  };
  static constexpr std::uint32_t kNoChannel = 0xffffffff, kManyChannels = 0xfffffffe;

  explicit Flat(const Problem& given)
      : problem(given), transfers(problem), order(priority_order(problem)),
        device_count(problem.device_count()) {
    const Graph& graph = problem.graph();
    const IdVector<NodeId, std::uint32_t> rank = positions(order);
    times.reserve(order.size() * device_count);
    use_begin.push_back(0);
    for (const NodeId node : order) {
      const std::span<const double> row = problem.time_row(node);
      times.insert(times.end(), row.begin(), row.end());
      input_count.push_back(static_cast<std::uint32_t>(graph.inputs(node).size()));
      for (const TensorId tensor : graph.outputs(node))
        for (const NodeId consumer : graph.consumers(tensor))
          uses.push_back({rank[consumer], static_cast<std::uint32_t>(tensor)});
      use_begin.push_back(static_cast<std::uint32_t>(uses.size()));
    }
    channel_begin.push_back(0);
    for (const DeviceId from : problem.devices())
      for (const DeviceId to : problem.devices()) {
        const std::vector<ChannelId>& channels = problem.cluster().link(from, to).channels;
        for (const ChannelId channel : channels)
          channel_of_link.push_back(static_cast<std::uint32_t>(channel));
        channel_begin.push_back(static_cast<std::uint32_t>(channel_of_link.size()));
        only_channel.push_back(channels.empty()       ? kNoChannel
                               : channels.size() == 1 ? channel_of_link.back()
                                                      : kManyChannels);
      }
  }

  Problem problem;
  TransferTable transfers;
  std::vector<NodeId> order;  // of the problem, by priority
  std::size_t device_count;
  std::vector<double> times;
  std::vector<std::uint32_t> input_count, use_begin;
  std::vector<Use> uses;
  std::vector<std::uint32_t> channel_begin, channel_of_link;
  std::vector<std::uint32_t> only_channel;  // by link: its channel when it has just one
};

struct ConcurrentSimulator::State {
  struct Task {
    double ready = 0;           // when the last known input is on the device
    std::uint32_t missing = 0;  // inputs whose producers have not finished
    std::uint32_t device = 0;
  };
  // A device's nodes fill the range [begin, ...) of each of the arrays below.
  struct Worker {
    std::uint32_t running = 0;
    std::uint32_t begin = 0;
    std::uint32_t ready_size = 0;    // in `ready`: heap by priority
    std::uint32_t arrival_size = 0;  // in `arrivals`: heap by time
    std::uint32_t next = 0, end = 0; // strict order: its part of `ready` still to run
  };
  struct Received {
    double time = 0;
    std::uint32_t tensor = 0;  // + 1
  };

  std::vector<Task> tasks;
  std::vector<Worker> workers;
  std::vector<EventKey> events;
  std::vector<std::uint32_t> ready;
  std::vector<Arrival> arrivals;
  std::vector<double> channel_free;
  std::vector<Received> received;
  std::vector<std::uint32_t> rank;  // strict order only
  std::vector<double> start_time;   // recording only
};

ConcurrentSimulator::ConcurrentSimulator(const Problem& problem)
    : flat_(std::make_unique<const Flat>(problem)), state_(std::make_unique<State>()) {}
ConcurrentSimulator::~ConcurrentSimulator() = default;
ConcurrentSimulator::ConcurrentSimulator(ConcurrentSimulator&&) noexcept = default;
ConcurrentSimulator& ConcurrentSimulator::operator=(ConcurrentSimulator&&) noexcept = default;

void ConcurrentSimulator::reset(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  State& s = *state_;
  const std::size_t nodes = flat.order.size();
  const std::size_t devices = flat.device_count;
  assert(device_of.size() == nodes);
  s.tasks.resize(nodes);
  s.ready.resize(nodes);
  s.arrivals.resize(nodes);
  s.workers.assign(devices, {});
  s.events.assign(devices, kIdleForever);
  s.received.assign(devices, {});
  s.channel_free.assign(flat.problem.cluster().channel_count(), 0.0);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::uint32_t device = static_cast<std::uint32_t>(device_of[index(flat.order[i])]);
    s.tasks[i] = {0.0, flat.input_count[i], device};
    ++s.workers[device].end;
  }
  std::uint32_t begin = 0;
  for (State::Worker& worker : s.workers) {
    worker.begin = worker.next = begin;
    begin += worker.end;
    worker.end = begin;
  }
}

template <bool kRecord, bool kStrict>
double ConcurrentSimulator::simulate(std::span<const DeviceId> device_of,
                                     std::span<const NodeId> order, Schedule* schedule) {
  using Worker = State::Worker;
  const Flat& flat = *flat_;
  State& s = *state_;
  reset(device_of);
  const std::size_t nodes = flat.order.size();
  const std::size_t devices = flat.device_count;
  Worker* const workers = s.workers.data();
  EventKey* const events = s.events.data();
  State::Task* const tasks = s.tasks.data();
  std::uint32_t* const ready = s.ready.data();
  Arrival* const arrivals = s.arrivals.data();
  if constexpr (kRecord) s.start_time.assign(nodes, 0.0);

  if constexpr (kStrict) {  // each device's part of `ready` is its nodes in the given order
    s.rank.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i)
      s.rank[index(flat.order[i])] = static_cast<std::uint32_t>(i);
    for (Worker* worker = workers; worker != workers + devices; ++worker) worker->end = worker->begin;
    for (const NodeId node : order) {
      const std::uint32_t at = s.rank[index(node)];
      ready[workers[tasks[at].device].end++] = at;
    }
  }

  // When the device, idle from `now`, could start its next node.
  const auto next_start = [&](const Worker& worker, double now) {
    if constexpr (kStrict) {
      if (worker.next == worker.end) return kIdleForever;
      const State::Task& task = tasks[ready[worker.next]];
      return task.missing == 0 ? start_key(std::max(now, task.ready)) : kIdleForever;
    } else {
      if (worker.ready_size > 0) return start_key(now);
      return worker.arrival_size > 0 ? start_key(std::max(now, arrivals[worker.begin].time))
                                     : kIdleForever;
    }
  };

  // All inputs of the node will be on its device at `time`; `now` is the current time.
  const auto enable = [&](std::uint32_t node, std::uint32_t device, double time, double now) {
    Worker& worker = workers[device];
    if constexpr (kStrict) {
      if (is_start(events[device]) && ready[worker.next] == node)
        events[device] = start_key(std::max(now, time));
    } else {
      if (time <= now)
        heap_push(ready + worker.begin, worker.ready_size, node);
      else
        heap_push(arrivals + worker.begin, worker.arrival_size, {time, node});
      const EventKey start = start_key(std::max(now, time));
      // A busy device keeps its completion; an idle one may start earlier than it thought.
      if (is_start(events[device])) events[device] = std::min(events[device], start);
    }
  };

  const auto take_next = [&](Worker& worker, double now) -> std::uint32_t {
    if constexpr (kStrict) {
      return ready[worker.next++];
    } else {
      std::uint32_t* const heap = ready + worker.begin;
      Arrival* const queue = arrivals + worker.begin;
      constexpr std::uint32_t kNone = 0xffffffff;
      std::uint32_t best = kNone;  // of those that have just arrived
      while (worker.arrival_size > 0 && queue[0].time <= now) {
        const std::uint32_t node = heap_pop(queue, worker.arrival_size).node;
        if (best != kNone) heap_push(heap, worker.ready_size, std::max(best, node));
        best = std::min(best, node);
      }
      if (worker.ready_size == 0) return best;
      if (best == kNone) return heap_pop(heap, worker.ready_size);
      if (best < heap[0]) return best;
      const std::uint32_t top = heap_pop(heap, worker.ready_size);
      heap_push(heap, worker.ready_size, best);
      return top;
    }
  };

  // The tensor is asked for on `to`; when it will be there.
  const auto send = [&](std::uint32_t tensor, std::uint32_t from, std::uint32_t to, double now) {
    const std::size_t link = from * devices + to;
    const double duration = flat.transfers(tensor, from, to);
    double start = now;
    const std::uint32_t only = flat.only_channel[link];
    if (only < Flat::kManyChannels) {
      start = std::max(start, s.channel_free[only]);
      s.channel_free[only] = start + duration;
    } else if (only == Flat::kManyChannels) {
      const std::span<const std::uint32_t> channels(
          flat.channel_of_link.data() + flat.channel_begin[link],
          flat.channel_of_link.data() + flat.channel_begin[link + 1]);
      for (const std::uint32_t channel : channels) start = std::max(start, s.channel_free[channel]);
      for (const std::uint32_t channel : channels) s.channel_free[channel] = start + duration;
    }
    if constexpr (kRecord)
      schedule->moves.push_back({static_cast<TensorId>(tensor), static_cast<DeviceId>(from),
                                 static_cast<DeviceId>(to), Duration{start},
                                 Duration{start + duration}});
    return start + duration;
  };

  for (std::uint32_t i = 0; i < nodes; ++i)
    if (tasks[i].missing == 0) enable(i, tasks[i].device, 0.0, 0.0);

  double makespan = 0;
  for (std::size_t done = 0; done < nodes;) {
    std::uint32_t device = 0;
    EventKey earliest = events[0];
    for (std::uint32_t d = 1; d < devices; ++d) {  // without a branch: it could not be predicted
      const EventKey key = events[d];
      const std::uint32_t earlier = 0U - static_cast<std::uint32_t>(key < earliest);
      device ^= (device ^ d) & earlier;
      earliest = std::min(earliest, key);
    }
    const double now = time_of(earliest);
    Worker& worker = workers[device];

    if (is_start(earliest)) {
      if (now == kNever) return kNever;  // nothing can ever start: the order is not topological
      const std::uint32_t node = take_next(worker, now);
      const double finish = now + flat.times[node * devices + device];
      if (finish == kNever) return kNever;  // the device cannot run the node
      worker.running = node;
      events[device] = finish_key(finish);
      if constexpr (kRecord) s.start_time[node] = now;
      continue;
    }

    const std::uint32_t node = worker.running;
    ++done;
    makespan = now;
    if constexpr (kRecord)
      schedule->runs.push_back({flat.order[node], static_cast<DeviceId>(device),
                                Duration{s.start_time[node]}, Duration{now}});
    for (std::uint32_t u = flat.use_begin[node]; u < flat.use_begin[node + 1]; ++u) {
      const Flat::Use use = flat.uses[u];
      State::Task& task = tasks[use.consumer];
      double arrival = now;
      if (task.device != device) {
        State::Received& received = s.received[task.device];
        if (received.tensor != use.tensor + 1)
          received = {send(use.tensor, device, task.device, now), use.tensor + 1};
        arrival = received.time;
      }
      task.ready = std::max(task.ready, arrival);
      if (--task.missing == 0) enable(use.consumer, task.device, task.ready, now);
    }
    events[device] = next_start(worker, now);
  }
  return makespan;
}

Duration ConcurrentSimulator::run(std::span<const DeviceId> device_of,
                                  std::span<const NodeId> order) {
  return Duration{order.empty() ? simulate<false, false>(device_of, order, nullptr)
                                : simulate<false, true>(device_of, order, nullptr)};
}

Schedule ConcurrentSimulator::record(std::span<const DeviceId> device_of,
                                     std::span<const NodeId> order) {
  Schedule schedule;
  schedule.makespan = Duration{order.empty() ? simulate<true, false>(device_of, order, &schedule)
                                             : simulate<true, true>(device_of, order, &schedule)};
  std::stable_sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.start, a.device) < std::pair(b.start, b.device);
  });
  std::stable_sort(schedule.moves.begin(), schedule.moves.end(),
                   [](const Move& a, const Move& b) { return a.start < b.start; });
  return schedule;
}

}  // namespace berth
