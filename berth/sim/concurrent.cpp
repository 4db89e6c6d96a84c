#include "berth/sim/concurrent.h"

#include <bit>

#include "berth/graph/order.h"
#include "berth/sim/ready_pool.h"
#include "berth/sim/transfer_table.h"
#include "berth/transform/ranks.h"

// How it is fast. Every event depends on the one before, so what counts is the length of the chain
// from one to the next, and the branches on it that cannot be predicted: each costs as much as
// fifty instructions. Hence
//   - what follows from the placement alone is worked out before the first event (plan_deliveries);
//   - special cases are made ordinary: a tensor that stays on its device takes a transfer of no
//     time on a channel that is always free, a repeated use waits for what the first one brought;
//   - a device that ends a node starts the next one in the same step;
//   - ready nodes are added and taken without a branch (ready_pool.h).

namespace berth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The next event of a device as one number: a busy device finishes, an idle one starts. The sign
// bit of the time is free to make room for the kind: completions come before starts at equal times.
using EventKey = std::uint64_t;
constexpr EventKey finish_key(EventTime time) { return time << 1; }
constexpr EventKey start_key(EventTime time) { return time << 1 | 1; }
constexpr double time_of(EventKey key) { return std::bit_cast<double>(key >> 1); }
constexpr bool is_start(EventKey key) { return (key & 1) != 0; }
constexpr EventKey kIdleForever = start_key(ReadyPool::kNever);

}  // namespace

// Nodes are renumbered by priority and tensors by producer: a node of lower number goes first, and
// memory is touched roughly in the order of execution.
struct ConcurrentSimulator::Flat {
  // A transfer takes  frequency x startup + amount x per_amount  (transfer_table.h).
  struct Use {
    std::uint32_t producer, consumer, tensor;
    TransferTable::Flow flow;
  };
  struct Wire {
    double startup = 0, per_amount = 0;
    std::uint32_t waits_for = kAlwaysFree, occupies = kNobodyReads;
  };
  // Slots: when a channel is free, with two that make special cases ordinary; then, by device, when
  // the last tensor sent to it arrives.
  static constexpr std::uint32_t kAlwaysFree = 0, kNobodyReads = 1, kFirstChannel = 2;

  explicit Flat(const Problem& given)
      : problem(given),
        order(priority_order(problem)),
        nodes(static_cast<std::uint32_t>(order.size())),
        devices(static_cast<std::uint32_t>(problem.device_count())),
        received_slot(static_cast<std::uint32_t>(problem.cluster().channel_count()) +
                      kFirstChannel),
        transfers(problem) {
    const Graph& graph = problem.graph();
    const IdVector<NodeId, std::uint32_t> rank = positions(order);
    times.reserve(std::size_t{nodes} * devices);
    use_begin.push_back(0);
    for (const NodeId node : order) {
      const std::span<const double> row = problem.time_row(node);
      times.insert(times.end(), row.begin(), row.end());
      input_count.push_back(static_cast<std::uint32_t>(graph.inputs(node).size()));
      if (input_count.back() == 0) sources.push_back(rank[node]);
      for (const TensorId tensor : graph.outputs(node)) {
        for (const NodeId consumer : graph.consumers(tensor))
          uses.push_back({rank[node], rank[consumer], static_cast<std::uint32_t>(tensors.size()),
                          transfers.flow(tensor)});
        tensors.push_back(tensor);
      }
      use_begin.push_back(static_cast<std::uint32_t>(uses.size()));
    }
    add_wires();
  }

  void add_wires() {
    const Cluster& cluster = problem.cluster();
    wires.resize(std::size_t{devices} * devices);
    channels_of.resize(wires.size());
    for (const DeviceId from : problem.devices())
      for (const DeviceId to : problem.devices()) {
        if (from == to) continue;
        const std::size_t at = index(from) * devices + index(to);
        wires[at].startup = transfers.startup(index(from), index(to));
        wires[at].per_amount = transfers.per_amount(index(from), index(to));
        for (const ChannelId channel : cluster.link(from, to).channels)
          channels_of[at].push_back(static_cast<std::uint32_t>(channel) + kFirstChannel);
        if (channels_of[at].size() == 1)
          wires[at].waits_for = wires[at].occupies = channels_of[at].front();
        if (channels_of[at].size() > 1) one_channel_each = false;
      }
  }

  Problem problem;
  std::vector<NodeId> order;  // of the problem, by priority
  std::uint32_t nodes, devices, received_slot;
  TransferTable transfers;
  std::vector<double> times;  // node-major
  std::vector<std::uint32_t> input_count, sources, use_begin;
  std::vector<Use> uses;
  std::vector<TensorId> tensors;
  std::vector<Wire> wires;  // [from * devices + to]
  std::vector<std::vector<std::uint32_t>> channels_of;
  bool one_channel_each = true;  // no transfer holds two channels
};

struct ConcurrentSimulator::State {
  struct Task {
    double ready = 0;           // when the last known input is on the device
    std::uint32_t missing = 0;  // inputs whose producers have not finished
    std::uint32_t device = 0;
  };
  // What happens to one use of a tensor when its producer ends: it starts when `waits_for` is free,
  // takes `duration`, and frees `occupies` when it ends. A tensor that stays where it is waits for
  // nothing and takes no time; a repeated use waits for what the first one brought.
  struct Delivery {
    double duration;
    std::uint32_t consumer, to, waits_for, occupies;
  };
  struct Worker {
    std::uint32_t running;  // kNoNode: idle
    std::uint32_t use, use_end;
  };

  std::vector<Task> tasks;
  std::vector<Delivery> deliveries;
  std::vector<EventKey> events;
  std::vector<Worker> workers;
  std::vector<ReadyPool> pools;
  std::vector<double> free_from;           // slots
  std::vector<std::uint32_t> last_tensor;  // by device, + 1
  // Strict order only: each device's nodes in sequence, from `next` on still to run.
  std::vector<std::uint32_t> sequence, next, end, rank;
  std::vector<double> start_time;  // recording only
};

ConcurrentSimulator::ConcurrentSimulator(const Problem& problem)
    : flat_(std::make_unique<const Flat>(problem)), state_(std::make_unique<State>()) {}
ConcurrentSimulator::~ConcurrentSimulator() = default;
ConcurrentSimulator::ConcurrentSimulator(ConcurrentSimulator&&) noexcept = default;

void ConcurrentSimulator::reset(std::span<const DeviceId> device_of) {
  const Flat& flat = *flat_;
  State& s = *state_;
  assert(device_of.size() == flat.nodes);
  s.tasks.resize(flat.nodes);
  for (std::uint32_t i = 0; i < flat.nodes; ++i)
    s.tasks[i] = {0.0, flat.input_count[i],
                  static_cast<std::uint32_t>(device_of[index(flat.order[i])])};
  s.events.assign(flat.devices, kIdleForever);
  s.workers.assign(flat.devices, {ReadyPool::kNone, 0, 0});
  s.pools.resize(flat.devices);
  for (ReadyPool& pool : s.pools) pool.clear();
  s.free_from.assign(flat.received_slot + flat.devices, 0.0);
  plan_deliveries();
}

// All of a delivery but its time follows from the placement: found here, where no use waits for
// another, the work overlaps; in the loop over events every step would wait for it.
void ConcurrentSimulator::plan_deliveries() {
  const Flat& flat = *flat_;
  State& s = *state_;
  s.deliveries.resize(flat.uses.size());
  s.last_tensor.assign(flat.devices, 0);
  const std::uint32_t devices = flat.devices, received_slot = flat.received_slot;
  const State::Task* const tasks = s.tasks.data();
  const Flat::Wire* const wires = flat.wires.data();
  std::uint32_t* const last_tensor = s.last_tensor.data();
  State::Delivery* delivery = s.deliveries.data();
  constexpr std::uint64_t kZeroBits = 0;
  for (const Flat::Use& use : flat.uses) {
    const std::uint32_t to = tasks[use.consumer].device;
    const Flat::Wire& wire = wires[tasks[use.producer].device * devices + to];
    const bool first = last_tensor[to] != use.tensor + 1;
    last_tensor[to] = use.tensor + 1;
    const double duration = use.flow.frequency * wire.startup + use.flow.amount * wire.per_amount;
    const std::uint64_t bits = choose(first, std::bit_cast<std::uint64_t>(duration), kZeroBits);
    *delivery++ = {std::bit_cast<double>(bits), use.consumer, to,
                   choose(first, wire.waits_for, received_slot + to),
                   choose(first, wire.occupies, Flat::kNobodyReads)};
  }
  if (!flat.transfers.depends_on_pair()) return;
  delivery = s.deliveries.data();
  for (const Flat::Use& use : flat.uses) {
    const std::uint32_t from = tasks[use.producer].device;
    if (delivery->waits_for < received_slot && from != delivery->to)
      delivery->duration = flat.transfers(index(flat.tensors[use.tensor]), from, delivery->to);
    ++delivery;
  }
}

// Lays out each device's nodes in the given order.
void ConcurrentSimulator::reset_sequences(std::span<const NodeId> order) {
  const Flat& flat = *flat_;
  State& s = *state_;
  s.rank.resize(flat.nodes);
  s.sequence.resize(flat.nodes);
  s.next.assign(flat.devices + 1, 0);
  for (std::size_t i = 0; i < flat.nodes; ++i) {
    s.rank[index(flat.order[i])] = static_cast<std::uint32_t>(i);
    ++s.next[s.tasks[i].device + 1];
  }
  for (std::size_t d = 0; d < flat.devices; ++d) s.next[d + 1] += s.next[d];
  s.end = s.next;
  for (const NodeId node : order) {
    const std::uint32_t i = s.rank[index(node)];
    s.sequence[s.end[s.tasks[i].device]++] = i;
  }
}

namespace {

// The run itself, on what reset() has laid out. Flat and State are those of the simulator.
template <bool kRecord, bool kStrict, bool kOneChannelEach, class Flat, class State>
class EventLoop {
 public:
  EventLoop(const Flat& flat, State& state, Schedule* schedule)
      : flat_(flat), s_(state), schedule_(schedule) {}

  // The end of the last node.
  double run() {
    for (const std::uint32_t source : flat_.sources)
      enable_if(true, source, tasks_[source].device, 0.0, 0.0);
    double now = 0;
    for (std::uint32_t done = 0; done < flat_.nodes;) {
      std::uint32_t device = 0;
      EventKey earliest = events_[0], second = kIdleForever;
      for (std::uint32_t d = 1; d < devices_; ++d) {
        const EventKey key = events_[d];
        const bool earlier = key < earliest;
        second = smaller(second, choose(earlier, earliest, key));
        device = choose(earlier, d, device);
        earliest = choose(earlier, key, earliest);
      }
      now = time_of(earliest);
      if (now == kNever) return kNever;  // a node that cannot run there, or no topological order
      done += static_cast<std::uint32_t>(!is_start(earliest));
      end_running(device, !is_start(earliest), now);
      // Others that end at the same time may still make a better node ready here: they come first.
      if (second <= finish_key(event_time(now)))
        events_[device] = start_key(event_time(now));
      else
        start_next(device, now);
    }
    return now;
  }

 private:
  // All inputs of the node will be on its device at `time`, if it is `complete`.
  void enable_if(bool complete, std::uint32_t node, std::uint32_t device, double time, double now) {
    if constexpr (kStrict)
      complete = complete && s_.sequence[s_.next[device]] == node;
    else
      pools_[device].add_if(complete, node, duration(node, device), event_time(time),
                            event_time(now));
    // A busy device keeps its completion; an idle one may start earlier than it thought.
    const bool waits = complete & is_start(events_[device]);
    const EventKey start = choose(waits, start_key(event_time(larger(now, time))), kIdleForever);
    events_[device] = smaller(events_[device], start);
  }

  void deliver(std::uint32_t use, std::uint32_t from, double now) {
    const typename State::Delivery& delivery = deliveries_[use];
    double start = larger(now, free_from_[delivery.waits_for]);
    if constexpr (!kOneChannelEach) {
      const std::vector<std::uint32_t>& channels = flat_.channels_of[from * devices_ + delivery.to];
      if (channels.size() > 1 && delivery.waits_for < flat_.received_slot) {
        for (const std::uint32_t channel : channels) start = larger(start, free_from_[channel]);
        for (const std::uint32_t channel : channels)
          free_from_[channel] = start + delivery.duration;
      }
    }
    const double end = start + delivery.duration;
    free_from_[delivery.occupies] = end;
    received_[delivery.to] = end;
    if constexpr (kRecord)
      if (delivery.to != from && delivery.waits_for < flat_.received_slot)
        schedule_->moves.push_back({flat_.tensors[flat_.uses[use].tensor],
                                    static_cast<DeviceId>(from), static_cast<DeviceId>(delivery.to),
                                    Duration{start}, Duration{end}});
    typename State::Task& task = tasks_[delivery.consumer];
    task.ready = larger(task.ready, end);
    enable_if(--task.missing == 0, delivery.consumer, delivery.to, task.ready, now);
  }

  // The running node ends, if there is one: a device that waited has no uses to deliver.
  void end_running(std::uint32_t device, bool was_running, double now) {
    typename State::Worker& worker = workers_[device];
    if constexpr (kRecord)
      if (was_running)
        schedule_->runs.push_back({flat_.order[worker.running], static_cast<DeviceId>(device),
                                   Duration{s_.start_time[worker.running]}, Duration{now}});
    const std::uint32_t use_end = worker.use_end;
    for (std::uint32_t use = worker.use; use < use_end; ++use) deliver(use, device, now);
    worker.use_end = 0;
  }

  void start_next(std::uint32_t device, double now) {
    const ReadyPool::Next next = take(device, now);
    if (next.node == ReadyPool::kNone) {
      events_[device] = start_key(next.soonest);
      return;
    }
    events_[device] = finish_key(event_time(now + next.duration));
    workers_[device] = {next.node, use_begin_[next.node], use_begin_[next.node + 1]};
    if constexpr (kRecord) s_.start_time[next.node] = now;
  }

  // The node that the device starts at `now`, or when to try again.
  ReadyPool::Next take(std::uint32_t device, double now) {
    if constexpr (kStrict) {
      if (s_.next[device] == s_.end[device]) return {};
      const std::uint32_t node = s_.sequence[s_.next[device]];
      if (tasks_[node].missing > 0) return {};
      if (tasks_[node].ready > now) return {ReadyPool::kNone, 0, event_time(tasks_[node].ready)};
      ++s_.next[device];
      return {node, duration(node, device), event_time(now)};
    } else {
      return pools_[device].take(event_time(now));
    }
  }

  double duration(std::uint32_t node, std::uint32_t device) const {
    return times_[std::size_t{node} * devices_ + device];
  }

  // Kept in registers: the loop is inlined as a whole.
  const Flat& flat_;
  State& s_;
  Schedule* const schedule_;
  const std::uint32_t devices_ = flat_.devices;
  EventKey* const events_ = s_.events.data();
  typename State::Task* const tasks_ = s_.tasks.data();
  typename State::Worker* const workers_ = s_.workers.data();
  ReadyPool* const pools_ = s_.pools.data();
  double* const free_from_ = s_.free_from.data();
  double* const received_ = free_from_ + flat_.received_slot;
  const typename State::Delivery* const deliveries_ = s_.deliveries.data();
  const std::uint32_t* const use_begin_ = flat_.use_begin.data();
  const double* const times_ = flat_.times.data();
};

}  // namespace

template <bool kRecord>
Duration ConcurrentSimulator::simulate(std::span<const DeviceId> device_of,
                                       std::span<const NodeId> order, Schedule* schedule) {
  reset(device_of);
  if (!order.empty()) reset_sequences(order);
  if constexpr (kRecord) state_->start_time.assign(flat_->nodes, 0.0);
  const auto run = [&]<bool kStrict, bool kOneChannelEach>() {
    return EventLoop<kRecord, kStrict, kOneChannelEach, Flat, State>(*flat_, *state_, schedule)
        .run();
  };
  if (flat_->one_channel_each)
    return Duration{order.empty() ? run.template operator()<false, true>()
                                  : run.template operator()<true, true>()};
  return Duration{order.empty() ? run.template operator()<false, false>()
                                : run.template operator()<true, false>()};
}

Duration ConcurrentSimulator::run(std::span<const DeviceId> device_of,
                                  std::span<const NodeId> order) {
  return simulate<false>(device_of, order, nullptr);
}

Schedule ConcurrentSimulator::record(std::span<const DeviceId> device_of,
                                     std::span<const NodeId> order) {
  Schedule schedule;
  schedule.makespan = simulate<true>(device_of, order, &schedule);
  sort_by_start(schedule);
  return schedule;
}

}  // namespace berth
