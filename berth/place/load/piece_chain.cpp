#include "berth/place/load/piece_chain.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace berth {
namespace {

std::vector<std::size_t> class_sizes(const LoadModel& model) {
  std::vector<std::size_t> sizes;
  for (const DeviceClass& c : model.classes) sizes.push_back(c.count());
  return sizes;
}

}  // namespace

DeviceStates::DeviceStates(const LoadModel& model) : DeviceStates(class_sizes(model)) {}

DeviceStates::DeviceStates(std::vector<std::size_t> sizes) : size(std::move(sizes)) {
  for (const std::size_t most : size) {
    stride.push_back(count);
    count = std::min(count * (most + 1), kMost);
  }
}

std::optional<std::string> why_too_many_states(const LoadModel& model) {
  constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // a gigabyte or so
  const DeviceStates states(model);
  if (!states.too_many() && states.count <= kMostEntries / (model.unit_count() + 1)) return {};
  return fmt::format(
      "the devices differ in {} ways: a dynamic program would have to tell too many combinations "
      "apart",
      model.classes.size());
}

ChainValue value_of(const LoadModel& model, const PieceChain& chain) {
  PieceLoad load(model);
  ChainValue value;
  for (const PieceChain::Piece& piece : chain.pieces) {
    load.start();
    for (const std::uint32_t unit : piece.units) load.add(unit);
    for (std::size_t h = 0; h < load.halves(); ++h)
      value.largest[h] =
          std::max(value.largest[h], load.load(piece.device_class, h, piece.replicas));
  }
  for (std::uint32_t server = 0; server < model.servers.size(); ++server) {
    load.start();
    for (const PieceChain::Piece& piece : chain.pieces)
      if (piece.server == server)
        for (const std::uint32_t unit : piece.units) load.add(unit);
    for (std::size_t h = 0; h < load.halves(); ++h)
      value.largest[h] = std::max(value.largest[h], load.network(h));
  }
  return value;
}

Placement placement_of(const Problem& problem, const LoadModel& model, const PieceChain& chain) {
  std::vector<DeviceId> device_of(model.unit_count(), DeviceId{0});
  std::vector<Replica> replicas;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> used;  // by server and class
  for (const PieceChain::Piece& piece : chain.pieces) {
    const std::uint32_t c = piece.device_class;
    const std::vector<DeviceId>& all =
        model.servers.empty() ? model.classes[c].devices : model.servers[piece.server][c];
    std::size_t& next = used[{piece.server, c}];
    const std::span<const DeviceId> devices(&all[next], piece.replicas);
    next += piece.replicas;
    for (const std::uint32_t unit : piece.units) device_of[unit] = devices.front();
    for (const DeviceId device : devices.subspan(1)) replicas.push_back({device, devices.front()});
  }
  std::ranges::sort(replicas, {}, &Replica::device);
  Placement placement = to_placement(problem, model, device_of);
  placement.replicas = std::move(replicas);
  return placement;
}

LoadModel with_replicas(LoadModel model, const Problem& problem, int replicas) {
  if (problem.model().knows_replicas())
    model.replicas = static_cast<std::size_t>(std::max(1, replicas));
  return model;
}

std::vector<double> unit_work(const LoadModel& model, std::size_t half) {
  std::vector<double> work;
  for (const LoadModel::Unit& unit : model.units)
    work.push_back(std::isfinite(unit.time[0][0] + unit.time[0][half]) ? unit.time[0][half] : 0.0);
  return work;
}

std::vector<double> class_speeds(const LoadModel& model, std::size_t half) {
  std::vector<double> speed(model.classes.size(), 0.0);
  const std::vector<double> work = unit_work(model, half);
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    for (std::size_t u = 0; u < model.unit_count(); ++u) {
      const double time = model.units[u].time[c][half];
      if (work[u] <= 0 || !std::isfinite(model.units[u].time[c][0] + time)) continue;
      speed[c] = std::max(speed[c], time > 0 ? work[u] / time : kForever.count());
    }
  return speed;
}

double work_floor(const LoadModel& model, std::size_t half) {
  const std::vector<double> work = unit_work(model, half), speed = class_speeds(model, half);
  double total = 0, capacity = 0, largest = 0;
  std::size_t most = 1;
  for (const double w : work) total += w;
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    capacity += speed[c] * static_cast<double>(model.classes[c].count());
  for (const LoadModel::Unit& unit : model.units) {
    double least = kForever.count();
    for (const LoadModel::Halves& time : unit.time)
      if (std::isfinite(time[0])) least = std::min(least, time[half]);
    if (std::isfinite(least)) largest = std::max(largest, least);
  }
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    most = std::max(most, most_replicas(model, c));
  largest /= static_cast<double>(most);
  return std::max(largest, capacity > 0 && std::isfinite(capacity) ? total / capacity : 0.0);
}

}  // namespace berth
