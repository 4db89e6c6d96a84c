#include "berth/place/load/remaining_capacity.h"

#include <cmath>

namespace berth {
Workload::Workload(const LoadModel& model) : halves(model.halves_apart ? 2 : 1) {
  for (std::size_t h = 0; h < halves; ++h) prepare_half(model, h);
  for (const LoadModel::Unit& unit : model.units) all.bytes += unit.bytes;
}

void Workload::prepare_half(const LoadModel& model, std::size_t h) {
  work[h] = unit_work(model, h);
  speed[h] = class_speeds(model, h);
  relief[h] = speed[h];
  for (const double w : work[h]) all.work[h] += w;
  net_price.resize(model.nets.size(), 0.0);
  // Overlapped transfers may hide behind compute: the frontier is free then.
  if (model.overlap != Overlap::kSum) return;
  for (std::size_t n = 0; n < model.nets.size(); ++n) {
    const LoadModel::Net& net = model.nets[n];
    if (net.half != h) continue;
    double least = kInfinity;
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      if (model.classes[c].price < 0) continue;
      const std::size_t price = static_cast<std::size_t>(model.classes[c].price);
      least = std::min(least, speed[h][c] * std::min(net.read[price], net.write[price]));
    }
    net_price[n] = std::isfinite(least) ? least : 0.0;
    all_nets[h] += net_price[n];
  }
  // A device that pays nothing spares the others the nets of the units it runs.
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    if (model.classes[c].price >= 0) continue;
    for (std::uint32_t u = 0; u < model.unit_count(); ++u) {
      const double time = model.units[u].time[c][h];
      if (!std::isfinite(model.units[u].time[c][0] + time)) continue;
      double spared = work[h][u];
      for (const std::uint32_t net : model.units[u].nets)
        if (model.nets[net].half == h) spared += net_price[net];
      if (spared > 0) relief[h][c] = std::max(relief[h][c], spared / time);
    }
  }
}

void RemainingCapacity::assign(std::span<const DevicesLeft> left) {
  const Workload& load = *workload_;
  capacity_.assign(left.size(), {});
  for (std::size_t s = 0; s < left.size(); ++s) {
    Capacity& capacity = capacity_[s];
    for (std::size_t c = 0; c < model_->classes.size(); ++c) {
      const double devices = static_cast<double>(left[s][c]);
      if (devices == 0) continue;
      capacity.bytes += model_->classes[c].memory
                            ? devices * static_cast<double>(*model_->classes[c].memory)
                            : kInfinity;
      for (std::size_t h = 0; h < halves_; ++h) {
        capacity.work[h] +=
            std::isfinite(limit_[h]) ? devices * load.speed[h][c] * limit_[h] : kInfinity;
        capacity.frontier[h] +=
            std::isfinite(limit_[h]) ? devices * load.relief[h][c] * limit_[h] : kInfinity;
      }
    }
    capacity.bytes *= 1 + 1e-12;
    for (std::size_t h = 0; h < halves_; ++h) {
      // Differences of sums: what is left of nothing may be a little above zero.
      capacity.work[h] = capacity.work[h] * (1 + 1e-12) + 1e-9 * load.all.work[h];
      capacity.frontier[h] =
          capacity.frontier[h] * (1 + 1e-12) + 1e-9 * (load.all.work[h] + load.all_nets[h]);
    }
  }
}

}  // namespace berth
