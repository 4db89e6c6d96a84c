#include "berth/learn/walk.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

constexpr double kHot = 0.003;    // the first temperature
constexpr double kReturn = 0.05;  // chance to go back to the best, each batch

}  // namespace

void Walk::look_at(const Elite& elite, Rng& rng) {
  const double chance = rng.uniform();
  if (elite.empty()) return;
  const bool is_new = !has_begun() || elite.best().score < best_;
  if (is_new || chance < kReturn) at_ = elite.best();
  best_ = elite.best().score;
}

void Walk::step(std::span<const Scored> samples, double progress, Rng& rng) {
  const double chance = rng.uniform();
  const auto best = std::ranges::min_element(
      samples, [](const Scored& a, const Scored& b) { return a.score < b.score; });
  if (best == samples.end()) return;
  bool goes = !has_begun() || !(at_.score < best->score);
  if (!goes && best->score.overflow == at_.score.overflow) {
    const double rise = best->score.value / at_.score.value - 1;
    goes = chance < std::exp(-rise / std::max(kHot * (1 - progress), 1e-9));
  }
  if (goes) at_ = *best;
}

void Walk::save(Archive& archive) const {
  archive.numbers["devices"].assign(at_.devices.begin(), at_.devices.end());
  archive.numbers["scores"] = {at_.score.value.count(), at_.score.overflow, best_.value.count(),
                               best_.overflow};
}

void Walk::load(const Archive& archive) {
  const std::vector<double>& devices = archive.numbers.at("devices");
  const std::vector<double>& scores = archive.numbers.at("scores");
  at_ = {{devices.begin(), devices.end()}, {Duration{scores.at(0)}, scores.at(1)}};
  best_ = {Duration{scores.at(2)}, scores.at(3)};
}

std::vector<SetGroup> walk_regions(const PolicyGraph& graph, std::size_t count, Rng& rng) {
  std::vector<SetGroup> regions;
  const double sizes = std::log(2 * std::sqrt(static_cast<double>(graph.size())));
  while (regions.size() < count)
    regions.push_back(
        neighbourhood(graph, static_cast<std::size_t>(std::exp(rng.uniform() * sizes)), rng));
  return regions;
}

std::vector<SetDevices> combined(const Scored& base, std::span<const Scored> samples) {
  std::vector<const Scored*> better;
  for (const Scored& sample : samples)
    if (sample.score < base.score) better.push_back(&sample);
  if (better.size() < 2) return {};
  std::ranges::stable_sort(better,
                           [](const Scored* a, const Scored* b) { return a->score < b->score; });
  SetDevices result = base.devices;
  for (const Scored* sample : better)
    for (std::size_t set = 0; set < result.size(); ++set)
      if (result[set] == base.devices[set]) result[set] = sample->devices[set];
  return {std::move(result)};
}

}  // namespace berth
