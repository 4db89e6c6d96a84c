#include "berth/learn/checkpoint.h"

#include <stdexcept>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {
namespace {

Archive to_archive(const CurvePoint& point) {
  Archive archive;
  archive.numbers["point"] = {static_cast<double>(point.update),
                              static_cast<double>(point.evaluations), point.best.count(),
                              point.own.count()};
  for (const auto& [name, value] : point.metrics) {
    Archive& metric = archive.parts[std::to_string(archive.parts.size())];
    metric.bytes["name"] = name;
    metric.numbers["value"] = {value};
  }
  return archive;
}

CurvePoint curve_point(const Archive& archive) {
  const std::vector<double>& values = archive.numbers.at("point");
  CurvePoint point{.update = static_cast<int>(values.at(0)),
                   .evaluations = static_cast<std::uint64_t>(values.at(1)),
                   .best = Duration{values.at(2)},
                   .own = Duration{values.at(3)}};
  for (std::size_t i = 0; i < archive.parts.size(); ++i) {
    const Archive& metric = archive.parts.at(std::to_string(i));
    point.metrics.emplace_back(metric.bytes.at("name"), metric.numbers.at("value").at(0));
  }
  return point;
}

std::vector<double> numbers(const SetDevices& devices) { return {devices.begin(), devices.end()}; }

SetDevices set_devices(const std::vector<double>& numbers, const Task& task) {
  if (numbers.size() != task.graph.size()) throw std::out_of_range("a placement of other sets");
  return {numbers.begin(), numbers.end()};
}

// The elite by values and by devices of each member; the chains by where they are.
Archive to_archive(const Task& task) {
  Archive archive;
  Archive &elite = archive.parts["elite"], &chains = archive.parts["chains"];
  elite.numbers["values"] = {};
  for (const Scored& member : task.elite.members()) {
    elite.numbers["values"].push_back(member.score.value.count());
    elite.numbers[std::to_string(elite.numbers.size() - 1)] = numbers(member.devices);
  }
  const Refiner::State& state = task.refiner.state();
  chains.numbers["round"] = {static_cast<double>(state.round)};
  for (const SetDevices& devices : state.chains)
    chains.numbers[std::to_string(chains.numbers.size() - 1)] = numbers(devices);
  archive.numbers["own"] = {task.own.count()};
  return archive;
}

void restore(const Archive& archive, Task& task) {
  const Archive &elite = archive.parts.at("elite"), &chains = archive.parts.at("chains");
  const std::vector<double>& values = elite.numbers.at("values");
  for (std::size_t i = 0; i < values.size(); ++i)
    task.elite.admit(
        {set_devices(elite.numbers.at(std::to_string(i)), task), {.value = Duration{values[i]}}});
  Refiner::State state{.chains = {}, .round = static_cast<int>(chains.numbers.at("round").at(0))};
  for (std::size_t i = 0; i + 1 < chains.numbers.size(); ++i)
    state.chains.push_back(set_devices(chains.numbers.at(std::to_string(i)), task));
  task.refiner.resume(std::move(state));
  task.own = Duration{archive.numbers.at("own").at(0)};
}

}  // namespace

void write_checkpoint(const std::string& file, const std::string& identity, const Learner& learner,
                      std::span<const Task> tasks, const Curve& curve) {
  Archive archive;
  archive.bytes["identity"] = identity;
  learner.save(archive.parts["learner"]);
  Archive& of_tasks = archive.parts["tasks"];
  for (const Task& task : tasks)
    of_tasks.parts[std::to_string(of_tasks.parts.size())] = to_archive(task);
  Archive& points = archive.parts["curve"];
  for (const CurvePoint& point : curve)
    points.parts[std::to_string(points.parts.size())] = to_archive(point);
  write_archive(file, archive);
}

Curve read_checkpoint(const std::string& file, const std::string& identity, Learner& learner,
                      std::span<Task> tasks) {
  const Archive archive = read_archive(file);
  try {
    if (const std::string& found = archive.bytes.at("identity"); found != identity)
      throw Error(fmt::format("{}: belongs to '{}', not to '{}'", file, found, identity));
    learner.load(archive.parts.at("learner"));
    const Archive& of_tasks = archive.parts.at("tasks");
    if (of_tasks.parts.size() != tasks.size()) throw std::out_of_range("other tasks");
    for (std::size_t i = 0; i < tasks.size(); ++i)
      restore(of_tasks.parts.at(std::to_string(i)), tasks[i]);
    const Archive& points = archive.parts.at("curve");
    Curve curve;
    for (std::size_t i = 0; i < points.parts.size(); ++i)
      curve.push_back(curve_point(points.parts.at(std::to_string(i))));
    return curve;
  } catch (const std::out_of_range&) {
    throw Error(fmt::format("{}: not a checkpoint of berth, or damaged", file));
  }
}

}  // namespace berth
