#include "berth/learn/checkpoint.h"

#include <stdexcept>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {
namespace {

Archive to_archive(const CurvePoint& point) {
  Archive archive;
  archive.numbers["point"] = {static_cast<double>(point.update),
                              static_cast<double>(point.evaluations), point.best.count()};
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
                   .best = Duration{values.at(2)}};
  for (std::size_t i = 0; i < archive.parts.size(); ++i) {
    const Archive& metric = archive.parts.at(std::to_string(i));
    point.metrics.emplace_back(metric.bytes.at("name"), metric.numbers.at("value").at(0));
  }
  return point;
}

// Values, and devices by member.
Archive to_archive(const Elite& elite) {
  Archive archive;
  for (const Scored& member : elite.members()) {
    archive.numbers["values"].push_back(member.score.value.count());
    archive.numbers[std::to_string(archive.numbers.size() - 1)].assign(member.devices.begin(),
                                                                       member.devices.end());
  }
  return archive;
}

void restore(const Archive& archive, Task& task) {
  if (archive.numbers.empty()) return;
  const std::vector<double>& values = archive.numbers.at("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double>& devices = archive.numbers.at(std::to_string(i));
    if (devices.size() != task.graph.size()) throw std::out_of_range("a placement of other sets");
    task.elite.admit({{devices.begin(), devices.end()}, {.value = Duration{values[i]}}});
  }
}

}  // namespace

void write_checkpoint(const std::string& file, const std::string& identity, const Learner& learner,
                      std::span<const Task> tasks, const Curve& curve) {
  Archive archive;
  archive.bytes["identity"] = identity;
  learner.save(archive.parts["learner"]);
  Archive& elites = archive.parts["elites"];
  for (const Task& task : tasks)
    elites.parts[std::to_string(elites.parts.size())] = to_archive(task.elite);
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
    const Archive& elites = archive.parts.at("elites");
    if (elites.parts.size() != tasks.size()) throw std::out_of_range("other tasks");
    for (std::size_t i = 0; i < tasks.size(); ++i)
      restore(elites.parts.at(std::to_string(i)), tasks[i]);
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
