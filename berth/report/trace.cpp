#include "berth/report/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "berth/io/json_writer.h"

namespace berth {
namespace {

constexpr std::int64_t kDevicesProcess = 1;
constexpr std::int64_t kTransfersProcess = 2;
// Apart enough that every device, channel or link can have as many lanes as it has slices.
constexpr std::int64_t kLanesPerTrack = 1 << 20;

// Gives each slice of a track the first lane that is free when it starts.
class Lanes {
 public:
  std::size_t take(Duration start, Duration finish) {
    // Sums of doubles in different orders differ in the last bits; that is not an overlap.
    const Duration slack{1e-6};
    for (std::size_t lane = 0; lane < free_from_.size(); ++lane)
      if (free_from_[lane] <= start + slack) {
        free_from_[lane] = finish;
        return lane;
      }
    free_from_.push_back(finish);
    return free_from_.size() - 1;
  }
  std::size_t count() const { return free_from_.size(); }

 private:
  std::vector<Duration> free_from_;
};

struct Thread {
  std::int64_t process = 0, number = 0;
};

class TraceWriter {
 public:
  explicit TraceWriter(const Problem& problem)
      : problem_(problem), thread_of_run_(problem.node_count()) {
    json_.open_object();
    json_.member("displayTimeUnit", "ms");
    json_.key("traceEvents");
    json_.open_array();
    name_process(kDevicesProcess, "devices");
    name_process(kTransfersProcess, "transfers");
  }

  void add_run(const Run& run) {
    const Thread thread = lane(kDevicesProcess, index(run.device), run.start, run.finish);
    thread_of_run_[run.node] = thread;
    const Node& node = problem_.graph().node(run.node);
    open_slice(thread, node.name, run.start, run.finish);
    if (!node.op_type.empty()) json_.member("op", node.op_type);
    close_slice();
  }

  // A move shows on every channel that it holds; the first one's thread is returned.
  Thread add_move(const Move& move) {
    const Cluster& cluster = problem_.cluster();
    std::vector<std::size_t> tracks;
    for (const ChannelId channel : cluster.link(move.from, move.to).channels)
      tracks.push_back(index(channel));
    if (tracks.empty())  // a link without channels is a track of its own, after the channels
      tracks.push_back(cluster.channel_count() + index(move.from) * cluster.device_count() +
                       index(move.to));
    std::optional<Thread> first;
    for (const std::size_t track : tracks) {
      const Thread thread = lane(kTransfersProcess, track, move.start, move.finish);
      if (!first) first = thread;
      const NodeId producer = problem_.graph().producer(move.tensor);
      open_slice(thread, problem_.graph().node(producer).name, move.start, move.finish);
      json_.member("from", cluster.device(move.from).name);
      json_.member("to", cluster.device(move.to).name);
      json_.member("bytes", problem_.graph().tensor(move.tensor).size.count);
      close_slice();
    }
    return *first;
  }

  // "s" starts an arrow, "t" passes it on, "f" ends it at the slice that encloses the moment.
  void add_arrow(const char* phase, std::uint64_t arrow, Thread thread, Duration moment) {
    open_event(phase, thread.process);
    json_.member("tid", thread.number);
    json_.member("ts", moment.count());
    json_.member("id", arrow);
    json_.member("name", "move");
    json_.member("cat", "move");
    if (*phase == 'f') json_.member("bp", "e");
    json_.close_object();
  }

  Thread thread_of_run(NodeId node) const { return thread_of_run_[node]; }

  std::string finish() && {
    for (const auto& [key, lanes] : lanes_)
      for (std::size_t at = 0; at < lanes.count(); ++at) {
        open_event("M", key.first);
        json_.member("tid", thread_number(key.second, at));
        json_.member("name", "thread_name");
        const std::string name = track_name(key.first, key.second);
        name_argument(at == 0 ? name : fmt::format("{} ({})", name, at + 1));
        json_.close_object();
      }
    json_.close_array();
    json_.close_object();
    return std::move(json_).finish();
  }

 private:
  static std::int64_t thread_number(std::size_t track, std::size_t lane) {
    return static_cast<std::int64_t>(track) * kLanesPerTrack + static_cast<std::int64_t>(lane) + 1;
  }

  Thread lane(std::int64_t process, std::size_t track, Duration start, Duration finish) {
    return {process, thread_number(track, lanes_[{process, track}].take(start, finish))};
  }

  std::string track_name(std::int64_t process, std::size_t track) const {
    const Cluster& cluster = problem_.cluster();
    if (process == kDevicesProcess) return cluster.device(static_cast<DeviceId>(track)).name;
    if (track < cluster.channel_count()) return cluster.channel_name(static_cast<ChannelId>(track));
    const std::size_t pair = track - cluster.channel_count();
    const auto from = static_cast<DeviceId>(pair / cluster.device_count());
    const auto to = static_cast<DeviceId>(pair % cluster.device_count());
    return fmt::format("{} -> {}", cluster.device(from).name, cluster.device(to).name);
  }

  void open_event(const char* phase, std::int64_t process) {
    json_.line(0);
    json_.open_object();
    json_.member("ph", phase);
    json_.member("pid", process);
  }

  // A complete slice, left open inside its arguments.
  void open_slice(Thread thread, const std::string& name, Duration start, Duration finish) {
    open_event("X", thread.process);
    json_.member("tid", thread.number);
    json_.member("ts", start.count());
    json_.member("dur", (finish - start).count());
    json_.member("name", name);
    json_.key("args");
    json_.open_object();
  }

  void close_slice() {
    json_.close_object();
    json_.close_object();
  }

  void name_process(std::int64_t process, const char* name) {
    open_event("M", process);
    json_.member("name", "process_name");
    name_argument(name);
    json_.close_object();
  }

  void name_argument(const std::string& name) {
    json_.object("args", [&] { json_.member("name", name); });
  }

  const Problem& problem_;
  JsonWriter json_;
  IdVector<NodeId, Thread> thread_of_run_;
  std::map<std::pair<std::int64_t, std::size_t>, Lanes> lanes_;
};

// The first run on the receiving device that uses the tensor.
const Run* first_use(const Problem& problem, const IdVector<NodeId, const Run*>& run_of,
                     const Move& move) {
  const Run* first = nullptr;
  for (const NodeId consumer : problem.graph().consumers(move.tensor)) {
    const Run* run = run_of[consumer];
    if (run == nullptr || run->device != move.to) continue;
    if (first == nullptr || run->start < first->start) first = run;
  }
  return first;
}

}  // namespace

std::string write_trace(const Problem& problem, const Schedule& schedule) {
  TraceWriter writer(problem);
  IdVector<NodeId, const Run*> run_of(problem.node_count(), nullptr);
  for (const Run& run : schedule.runs) {
    writer.add_run(run);
    run_of[run.node] = &run;
  }
  std::uint64_t arrow = 0;
  for (const Move& move : schedule.moves) {
    const Thread thread = writer.add_move(move);
    const Run* from = run_of[problem.graph().producer(move.tensor)];
    const Run* to = first_use(problem, run_of, move);
    if (from == nullptr || to == nullptr) continue;
    // Just before the end: at the end itself the next slice of the thread would be meant.
    const Duration leaves = from->start + (from->finish - from->start) * 0.999;
    writer.add_arrow("s", ++arrow, writer.thread_of_run(from->node), leaves);
    writer.add_arrow("t", arrow, thread, move.start);
    writer.add_arrow("f", arrow, writer.thread_of_run(to->node), to->start);
  }
  return std::move(writer).finish();
}

}  // namespace berth
