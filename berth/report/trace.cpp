#include "berth/report/trace.h"

#include <map>

#include <fmt/format.h>

#include "berth/io/json_writer.h"

namespace berth {
namespace {

constexpr std::int64_t kDevicesProcess = 1;
constexpr std::int64_t kTransfersProcess = 2;
// Apart enough that every device, channel or link can have as many lanes as it has slices.
constexpr std::int64_t kLanesPerTrack = 1 << 20;

struct Thread {
  std::int64_t process = 0, number = 0;  // 0: the process itself
};

class TraceWriter {
 public:
  TraceWriter(JsonWriter& json, const Problem& problem)
      : json_(json), problem_(problem), shown_(problem.node_count()) {}

  void write(const Schedule& schedule) {
    add_name("process_name", {kDevicesProcess}, "devices");
    add_name("process_name", {kTransfersProcess}, "transfers");
    for (const Run& run : schedule.runs) add_run(run);
    for (const Move& move : schedule.moves) add_move(move);
    for (const auto& [track, lanes] : lanes_)
      for (std::size_t at = 0; at < lanes.size(); ++at) {
        const std::string name = track_name(track.first, track.second);
        add_name("thread_name", {track.first, thread_number(track.second, at)},
                 at == 0 ? name : fmt::format("{} ({})", name, at + 1));
      }
  }

 private:
  void add_run(const Run& run) {
    const Thread thread = lane(kDevicesProcess, index(run.device), run.start, run.finish);
    shown_[run.node] = {&run, thread};
    const Node& node = problem_.graph().node(run.node);
    add_slice(thread, node.name, run.start, run.finish, [&] {
      if (!node.op_type.empty()) json_.member("op", node.op_type);
    });
  }

  // A move shows on every channel that it holds; its arrow passes through the first.
  void add_move(const Move& move) {
    const Cluster& cluster = problem_.cluster();
    const NodeId producer = problem_.graph().producer(move.tensor);
    std::vector<std::size_t> tracks;
    for (const ChannelId channel : cluster.link(move.from, move.to).channels)
      tracks.push_back(index(channel));
    if (tracks.empty())  // a link without channels is a track of its own, after the channels
      tracks.push_back(cluster.channel_count() + index(move.from) * cluster.device_count() +
                       index(move.to));
    std::vector<Thread> threads;
    for (const std::size_t track : tracks) {
      threads.push_back(lane(kTransfersProcess, track, move.start, move.finish));
      add_slice(threads.back(), problem_.node_name(producer), move.start, move.finish, [&] {
        json_.member("from", problem_.device_name(move.from));
        json_.member("to", problem_.device_name(move.to));
        json_.member("bytes", problem_.graph().tensor(move.tensor).size);
      });
    }
    const Shown from = shown_[producer], to = first_use(move);
    if (from.run == nullptr || to.run == nullptr) return;
    ++arrow_;
    // Just before the end: at the end itself the next slice of the thread would be meant.
    const Duration leaves = from.run->start + (from.run->finish - from.run->start) * 0.999;
    add_arrow("s", from.thread, leaves);
    add_arrow("t", threads.front(), move.start);
    add_arrow("f", to.thread, to.run->start);
  }

  struct Shown {
    const Run* run = nullptr;
    Thread thread{};
  };
  // The first run on the receiving device that uses the tensor.
  Shown first_use(const Move& move) const {
    Shown first;
    for (const NodeId consumer : problem_.graph().consumers(move.tensor)) {
      const Run* const run = shown_[consumer].run;
      if (run == nullptr || run->device != move.to) continue;
      if (first.run == nullptr || run->start < first.run->start) first = shown_[consumer];
    }
    return first;
  }

  static std::int64_t thread_number(std::size_t track, std::size_t lane) {
    return static_cast<std::int64_t>(track) * kLanesPerTrack + static_cast<std::int64_t>(lane) + 1;
  }

  // The first lane of the track that is free at the start.
  Thread lane(std::int64_t process, std::size_t track, Duration start, Duration finish) {
    // Sums of doubles in different orders differ in the last bits; that is not an overlap.
    const Duration slack{1e-6};
    std::vector<Duration>& free_from = lanes_[{process, track}];
    const auto is_free = [&](Duration from) { return from <= start + slack; };
    const auto at =
        static_cast<std::size_t>(std::ranges::find_if(free_from, is_free) - free_from.begin());
    if (at == free_from.size()) free_from.emplace_back();
    free_from[at] = finish;
    return {process, thread_number(track, at)};
  }

  std::string track_name(std::int64_t process, std::size_t track) const {
    const Cluster& cluster = problem_.cluster();
    if (process == kDevicesProcess) return problem_.device_name(static_cast<DeviceId>(track));
    if (track < cluster.channel_count()) return cluster.channel_name(static_cast<ChannelId>(track));
    const std::size_t pair = track - cluster.channel_count();
    return fmt::format("{} -> {}",
                       problem_.device_name(static_cast<DeviceId>(pair / cluster.device_count())),
                       problem_.device_name(static_cast<DeviceId>(pair % cluster.device_count())));
  }

  template <class Write>
  void add_event(const char* phase, Thread thread, Write&& write) {
    json_.line(0).object([&] {
      json_.member("ph", phase);
      json_.member("pid", thread.process);
      if (thread.number > 0) json_.member("tid", thread.number);
      write();
    });
  }

  template <class Write>
  void add_slice(Thread thread, const std::string& name, Duration start, Duration finish,
                 Write&& write_arguments) {
    add_event("X", thread, [&] {
      json_.member("ts", start.count());
      json_.member("dur", (finish - start).count());
      json_.member("name", name);
      json_.object("args", write_arguments);
    });
  }

  // "s" starts an arrow, "t" passes it on, "f" ends it at the slice that encloses the moment.
  void add_arrow(const char* phase, Thread thread, Duration moment) {
    add_event(phase, thread, [&] {
      json_.member("ts", moment.count());
      json_.member("id", arrow_);
      json_.member("name", "move");
      json_.member("cat", "move");
      if (*phase == 'f') json_.member("bp", "e");
    });
  }

  void add_name(const char* what, Thread thread, const std::string& name) {
    add_event("M", thread, [&] {
      json_.member("name", what);
      json_.object("args", [&] { json_.member("name", name); });
    });
  }

  JsonWriter& json_;
  const Problem& problem_;
  IdVector<NodeId, Shown> shown_;
  // By process and track, when each of its lanes is free.
  std::map<std::pair<std::int64_t, std::size_t>, std::vector<Duration>> lanes_;
  std::uint64_t arrow_ = 0;
};

}  // namespace

std::string write_trace(const Problem& problem, const Schedule& schedule) {
  return json_object([&](JsonWriter& json) {
    json.member("displayTimeUnit", "ms");
    json.array("traceEvents", [&] { TraceWriter(json, problem).write(schedule); });
  });
}

}  // namespace berth
