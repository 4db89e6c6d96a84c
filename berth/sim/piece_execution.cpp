#include "berth/sim/piece_execution.h"

#include <numeric>

#include "berth/sim/piece_cutter.h"

namespace berth {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kImageDimensions = 4;

bool computes_in_blocks(const Node& node) {
  return node.op_type.find("Conv") != std::string::npos && !node.op_type.starts_with("Convert");
}

// What borders are made of, looked up once per graph.
class Borders {
 public:
  explicit Borders(const Graph& graph) : graph_(graph) {
    for (const NodeId node : graph.nodes())
      if (computes_in_blocks(graph.node(node))) blocked_nodes_.push_back(node);
    for (const TensorId tensor : graph.tensors())
      if (graph.tensor(tensor).shape.size() >= kImageDimensions &&
          !graph.consumers(tensor).empty() && graph.tensor(tensor).size > Bytes{0})
        images_.push_back({tensor, static_cast<double>(graph.tensor(tensor).size.count) *
                                       graph.node(graph.producer(tensor)).frequency});
  }

  std::span<const double> of(const Pieces& pieces) {
    bytes_.assign(pieces.count(), 0.0);
    if (blocked_nodes_.empty()) return bytes_;
    blocked_.assign(pieces.count(), 0);
    for (const NodeId node : blocked_nodes_) blocked_[pieces.piece_of[node]] = 1;
    seen_.assign(pieces.count(), 0);
    std::uint32_t stamp = 0;
    for (const Image& image : images_) {
      const std::uint32_t from = pieces.piece_of[graph_.producer(image.tensor)];
      seen_[from] = ++stamp;
      bool leaves = false;
      for (const NodeId consumer : graph_.consumers(image.tensor)) {
        const std::uint32_t to = pieces.piece_of[consumer];
        if (seen_[to] == stamp) continue;
        seen_[to] = stamp;
        leaves = true;
        if (blocked_[to] != 0) bytes_[to] += image.bytes;
      }
      if (leaves && blocked_[from] != 0) bytes_[from] += image.bytes;
    }
    return bytes_;
  }

 private:
  struct Image {
    TensorId tensor;
    double bytes;
  };
  const Graph& graph_;
  std::vector<NodeId> blocked_nodes_;
  std::vector<Image> images_;
  std::vector<double> bytes_;
  std::vector<std::uint8_t> blocked_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace

std::vector<double> border_bytes(const Graph& graph, const Pieces& pieces) {
  Borders borders(graph);
  const std::span<const double> bytes = borders.of(pieces);
  return {bytes.begin(), bytes.end()};
}

struct PieceSimulator::State {
  explicit State(const Problem& given)
      : problem(given),
        contention(problem.get<InPieces>().contention),
        cutter(problem.graph()),
        borders(problem.graph()),
        loads(problem.device_count()) {
    for (const DeviceId id : problem.devices()) {
      const Device& device = problem.cluster().device(id);
      overhead.push_back(device.piece_overhead.count());
      micros_per_byte.push_back(
          device.border_bytes_per_second > 0 ? 1e6 / device.border_bytes_per_second : 0.0);
    }
  }

  const Pieces& cut(std::span<const DeviceId> device_of) {
    const bool latency = problem.objective() == Objective::kLatency;
    pieces = latency ? &cutter.eager(device_of) : &cutter.subgraphs(device_of);
    const std::span<const double> border = borders.of(*pieces);
    extra.resize(pieces->count());
    for (std::size_t p = 0; p < pieces->count(); ++p) {
      const std::size_t d = index(pieces->device[p]);
      extra[p] = overhead[d] + border[p] * micros_per_byte[d];
    }
    time.assign(extra.begin(), extra.end());
    for (const NodeId node : problem.graph().nodes())
      time[pieces->piece_of[node]] += problem.time_row(node)[index(device_of[index(node)])];
    return *pieces;
  }

  void add_loads() {
    std::fill(loads.begin(), loads.end(), 0.0);
    for (std::size_t p = 0; p < pieces->count(); ++p) loads[index(pieces->device[p])] += time[p];
  }

  // A(d) of a device that would run all pieces of another.
  double stage_time(DeviceId stage, DeviceId device) {
    const std::span<const double> border = borders.of(*pieces);
    double sum = 0;
    for (std::size_t p = 0; p < pieces->count(); ++p)
      if (pieces->device[p] == stage)
        sum += overhead[index(device)] + border[p] * micros_per_byte[index(device)];
    for (const NodeId node : problem.graph().nodes())
      if (pieces->device[pieces->piece_of[node]] == stage)
        sum += problem.time_row(node)[index(device)];
    return sum;
  }

  void divide_samples(std::span<const Replica> replicas) {
    std::vector<double> speed;  // of all that share the stage, by its first device
    for (const double alone : loads) speed.push_back(1 / alone);  // nothing to do: infinitely fast
    for (const Replica& replica : replicas)
      speed[index(replica.of)] += 1 / stage_time(replica.of, replica.device);
    for (const Replica& replica : replicas)
      loads[index(replica.device)] = loads[index(replica.of)] = 1 / speed[index(replica.of)];
  }

  void add_contention() {
    if (contention == 0) return;
    const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
    for (double& load : loads)
      if (load > 0) load += contention * (all - load);
  }

  // Edges between pieces, by the first: what passes from the end of one to the arrival at the
  // other.
  void connect() {
    const Graph& graph = problem.graph();
    begin.assign(pieces->count() + 2, 0);
    missing.assign(pieces->count(), 0);
    uses.clear();
    for (const TensorId tensor : graph.tensors()) {
      const std::uint32_t from = pieces->piece_of[graph.producer(tensor)];
      const DeviceId sender = pieces->device[from];
      for (const NodeId consumer : graph.consumers(tensor)) {
        const std::uint32_t to = pieces->piece_of[consumer];
        if (to == from) continue;
        uses.push_back({from, to, problem.transfer(tensor, sender, pieces->device[to]).count()});
        ++begin[from + 2];
        ++missing[to];
      }
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    after.resize(uses.size());
    for (const Use& use : uses) after[begin[use.from + 1]++] = use;
  }

  // Larger goes first.
  void rank(std::span<const NodeId> order) {
    priority.assign(pieces->count(), 0.0);
    if (!order.empty()) {
      for (std::size_t i = order.size(); i-- > 0;)
        priority[pieces->piece_of[order[i]]] = -static_cast<double>(i);
      return;
    }
    for (std::size_t p = pieces->count(); p-- > 0;) {  // numbered in a topological order
      double longest = 0;
      for (std::uint32_t at = begin[p]; at < begin[p + 1]; ++at)
        longest = std::max(longest, after[at].delay + priority[after[at].to]);
      priority[p] = time[p] + longest;
    }
  }

  // The end of the last piece; start[p] and end[p] tell when each ran.
  double simulate() {
    const std::size_t devices = problem.device_count(), count = pieces->count();
    for (auto* by_piece : {&start, &end, &arrived}) by_piece->assign(count, 0.0);
    for (auto* by_device : {&loads, &left, &free_from}) by_device->assign(devices, 0.0);
    ends.assign(devices, kNever);
    running.assign(devices, kIdle);
    slowness = 1;
    since = 0;
    waiting.resize(devices);
    for (auto& list : waiting) list.clear();
    for (std::uint32_t p = 0; p < count; ++p)
      if (missing[p] == 0) waiting[index(pieces->device[p])].push_back(p);
    double last = 0;
    for (std::size_t events = 0; events < 2 * count; ++events) {
      double earliest = kNever;
      std::size_t next = devices;
      for (std::size_t d = 0; d < devices; ++d)
        if (running[d] != kIdle && (next == devices || ends[d] < earliest))
          earliest = ends[d], next = d;
      for (std::size_t d = 0; d < devices; ++d) {
        if (running[d] != kIdle) continue;
        for (const std::uint32_t p : waiting[d]) {
          const double possible = std::max(arrived[p], free_from[d]);
          if (next == devices || possible < earliest) earliest = possible, next = d;
        }
      }
      assert(next < devices && "the quotient has no circle");
      if (contention > 0) work_until(earliest);
      if (running[next] != kIdle) {
        last = std::max(last, earliest);
        complete(next, earliest);
      } else {
        begin_best(next, earliest);
      }
      if (contention > 0) set_ends(earliest);
    }
    return last;
  }

  void work_until(double now) {
    for (std::size_t d = 0; d < left.size(); ++d)
      if (running[d] != kIdle) left[d] -= (now - since) / slowness;
    since = now;
  }

  void set_ends(double now) {
    const auto idle = std::count(running.begin(), running.end(), kIdle);
    const double busy = static_cast<double>(running.size()) - static_cast<double>(idle);
    slowness = 1 + contention * std::max(0.0, busy - 1);
    for (std::size_t d = 0; d < left.size(); ++d)
      if (running[d] != kIdle) ends[d] = now + std::max(0.0, left[d]) * slowness;
  }

  void complete(std::size_t device, double now) {
    const std::uint32_t done = running[device];
    running[device] = kIdle;
    free_from[device] = end[done] = now;
    loads[device] += now - start[done];
    for (std::uint32_t at = begin[done]; at < begin[done + 1]; ++at) {
      const Use& use = after[at];
      arrived[use.to] = std::max(arrived[use.to], now + use.delay);
      if (--missing[use.to] == 0) waiting[index(pieces->device[use.to])].push_back(use.to);
    }
  }

  void begin_best(std::size_t device, double now) {
    std::vector<std::uint32_t>& list = waiting[device];
    std::size_t best = list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (arrived[list[i]] > now) continue;
      if (best == list.size() || priority[list[i]] > priority[list[best]] ||
          (priority[list[i]] == priority[list[best]] && list[i] < list[best]))
        best = i;
    }
    const std::uint32_t piece = list[best];
    list[best] = list.back();
    list.pop_back();
    running[device] = piece;
    start[piece] = now;
    ends[device] = now + time[piece];
    left[device] = time[piece];
  }

  double run(std::span<const DeviceId> device_of, std::span<const NodeId> order) {
    cut(device_of);
    if (problem.objective() == Objective::kThroughput) {
      add_loads();
      add_contention();
      return *std::max_element(loads.begin(), loads.end());
    }
    connect();
    rank(order);
    return simulate();
  }

  static constexpr std::uint32_t kIdle = std::numeric_limits<std::uint32_t>::max();
  struct Use {
    std::uint32_t from, to;
    double delay;
  };

  Problem problem;
  double contention;
  PieceCutter cutter;
  Borders borders;
  std::vector<double> overhead, micros_per_byte, loads;  // by device
  const Pieces* pieces = nullptr;
  std::vector<double> extra, time, priority, start, end, arrived;  // by piece
  std::vector<std::uint32_t> begin, missing;
  std::vector<Use> uses, after;
  std::vector<std::uint32_t> running;
  std::vector<double> ends, free_from, left;
  double slowness = 1, since = 0;                   // while work was last subtracted from `left`
  std::vector<std::vector<std::uint32_t>> waiting;  // inputs computed, perhaps not arrived
};

PieceSimulator::PieceSimulator(const Problem& problem) : state_(std::make_unique<State>(problem)) {}
PieceSimulator::~PieceSimulator() = default;
PieceSimulator::PieceSimulator(PieceSimulator&&) noexcept = default;

Duration PieceSimulator::run(std::span<const DeviceId> device_of, std::span<const NodeId> order) {
  return Duration{state_->run(device_of, order)};
}

Duration PieceSimulator::run_replicated(const Placement& placement) {
  State& s = *state_;
  s.cut(placement.device_of.items());
  s.add_loads();
  s.divide_samples(placement.replicas);
  s.add_contention();
  return Duration{*std::max_element(s.loads.begin(), s.loads.end())};
}

std::vector<NodeId> PieceSimulator::start_order(std::span<const DeviceId> device_of) {
  State& s = *state_;
  const Pieces& pieces = s.cut(device_of);
  s.connect();
  s.rank({});
  const std::span<const NodeId> topological = s.problem.graph().topological_order();
  std::vector<NodeId> order(topological.begin(), topological.end());
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    const std::uint32_t p = pieces.piece_of[a], q = pieces.piece_of[b];
    return s.priority[p] != s.priority[q] ? s.priority[p] > s.priority[q] : p < q;
  });
  return order;
}

std::span<const double> PieceSimulator::loads() const { return state_->loads; }

Schedule PieceSimulator::record(std::span<const DeviceId> device_of,
                                std::span<const NodeId> order) {
  State& s = *state_;
  const Graph& graph = s.problem.graph();
  const Pieces& pieces = s.cut(device_of);
  s.connect();
  s.rank(order);
  Schedule schedule;
  schedule.makespan = Duration{s.simulate()};
  std::vector<Duration> now;
  const auto slowness = [&](std::size_t p) {
    return s.time[p] > 0 ? std::max(1.0, (s.end[p] - s.start[p]) / s.time[p]) : 1.0;
  };
  const bool contended = s.contention > 0;
  for (std::size_t p = 0; p < pieces.count(); ++p)
    now.emplace_back(std::min(s.start[p] + s.extra[p] * (contended ? slowness(p) : 1), s.end[p]));
  for (const NodeId node : graph.topological_order()) {
    const DeviceId device = device_of[index(node)];
    const std::uint32_t piece = pieces.piece_of[node];
    const Duration begin = now[piece];
    // Rounding must not let a node end after its piece.
    now[piece] = std::min(begin + s.problem.time(node, device) * (contended ? slowness(piece) : 1),
                          Duration{s.end[piece]});
    schedule.runs.push_back({node, device, begin, now[piece]});
  }
  std::vector<bool> sent(s.problem.device_count());
  for (const TensorId tensor : graph.tensors()) {
    const std::uint32_t piece = pieces.piece_of[graph.producer(tensor)];
    const DeviceId from = pieces.device[piece];
    const Duration leaves{s.end[piece]};
    std::fill(sent.begin(), sent.end(), false);
    for (const NodeId consumer : graph.consumers(tensor)) {
      const DeviceId to = device_of[index(consumer)];
      if (to == from || sent[index(to)]) continue;
      sent[index(to)] = true;
      schedule.moves.push_back(
          {tensor, from, to, leaves, leaves + s.problem.transfer(tensor, from, to)});
    }
  }
  sort_by_start(schedule);
  return schedule;
}

}  // namespace berth
