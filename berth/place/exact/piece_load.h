// The load of one piece while it grows and shrinks unit by unit, last in first out.
//
// Adding a unit touches its nets only: a net's first pin in the piece cuts it (a write if the pin is
// its producer, a read if not), its last pin makes it whole again. Load is therefore not monotone
// in the piece. What is: compute, bytes, and permanent cuts, nets with a pin in the piece and another
// that can never join it (`outside`). When those alone exceed the limit, no larger piece fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/place/exact/load_model.h"

namespace berth {

class PieceLoad {
 public:
  using Halves = LoadModel::Halves;

  explicit PieceLoad(const LoadModel& model)
      : model_(model), classes_(model.classes.size()), prices_(model.prices),
        halves_(model.halves_apart ? 2 : 1), count_(model.nets.size(), 0),
        written_(model.nets.size(), 0), outside_(model.nets.size(), 0), apart_(model.apart_sets, 0) {
    for (const LoadModel::Net& net : model.nets) {
      pins_.push_back(static_cast<std::uint16_t>(net.pins.size()));
      half_.push_back(net.half);
      producer_.push_back(net.producer);
      for (std::size_t p = 0; p < prices_; ++p) {
        read_.push_back(net.read[p]);
        write_.push_back(net.write[p]);
      }
    }
    net_begin_.push_back(0);
    for (const LoadModel::Unit& unit : model.units) {
      nets_.insert(nets_.end(), unit.nets.begin(), unit.nets.end());
      net_begin_.push_back(static_cast<std::uint32_t>(nets_.size()));
      for (std::size_t c = 0; c < classes_; ++c)
        for (std::size_t h = 0; h < halves_; ++h) time_.push_back(unit.time[c][h]);
    }
    sums_.assign(classes_ * halves_ + 3 * prices_ * halves_, 0.0);
  }

  // Empties the piece. `outside` says of each net whether it has a pin that can never join.
  void start(std::span<const std::uint8_t> outside) {
    while (!added_.empty()) remove();
    std::copy(outside.begin(), outside.end(), outside_.begin());
  }
  void start() {
    while (!added_.empty()) remove();
    std::fill(outside_.begin(), outside_.end(), std::uint8_t{0});
  }

  void add(std::uint32_t unit) {
    saved_.insert(saved_.end(), sums_.begin(), sums_.end());
    saved_bytes_.push_back({bytes_, workspace_});
    added_.push_back(unit);
    const std::size_t width = classes_ * halves_;
    for (std::size_t i = 0; i < width; ++i) sums_[i] += time_[unit * width + i];
    bytes_ += model_.units[unit].bytes;
    workspace_ = std::max(workspace_, model_.units[unit].workspace);
    for (const std::uint32_t set : model_.units[unit].apart) conflicts_ += apart_[set]++ > 0;
    for (std::uint32_t at = net_begin_[unit]; at < net_begin_[unit + 1]; ++at) {
      const std::uint32_t net = nets_[at];
      const bool produces = producer_[net] == unit;
      const std::uint16_t before = count_[net]++;
      if (before == 0) {
        charge(net, produces, 1.0);
        if (outside_[net] != 0) charge_permanent(net);
      } else if (before + 1 == pins_[net]) {
        charge(net, written_[net] != 0, -1.0);
      } else if (produces) {
        charge(net, false, -1.0);
        charge(net, true, 1.0);
      }
      if (produces) written_[net] = 1;
    }
  }

  // Takes the last added unit back, sums restored to the bit.
  void remove() {
    const std::uint32_t unit = added_.back();
    added_.pop_back();
    for (std::uint32_t at = net_begin_[unit]; at < net_begin_[unit + 1]; ++at) {
      --count_[nets_[at]];
      if (producer_[nets_[at]] == unit) written_[nets_[at]] = 0;
    }
    for (const std::uint32_t set : model_.units[unit].apart) conflicts_ -= --apart_[set] > 0;
    std::copy(saved_.end() - static_cast<std::ptrdiff_t>(sums_.size()), saved_.end(), sums_.begin());
    saved_.resize(saved_.size() - sums_.size());
    std::tie(bytes_, workspace_) = saved_bytes_.back();
    saved_bytes_.pop_back();
  }

  std::span<const std::uint32_t> units() const { return added_; }
  std::int64_t bytes() const { return bytes_; }
  double compute(std::size_t c, std::size_t half = 0) const { return sums_[c * halves_ + half]; }

  double load(std::size_t c, std::size_t half = 0) const {
    const double compute_time = compute(c, half);
    const int price = model_.classes[c].price;
    if (price < 0) return compute_time;
    const double* const moved = transfers(price, half);
    switch (model_.overlap) {
      case Overlap::kSum: return compute_time + moved[0] + moved[1];
      case Overlap::kMax: return std::max(compute_time, moved[0] + moved[1]);
      case Overlap::kDuplex: return std::max({compute_time, moved[0], moved[1]});
    }
    return compute_time;
  }

  // No larger piece has a smaller load than this.
  double monotone_load(std::size_t c, std::size_t half = 0) const {
    const double compute_time = compute(c, half);
    const int price = model_.classes[c].price;
    if (price < 0) return compute_time;
    const double permanent = transfers(price, half)[2];
    switch (model_.overlap) {
      case Overlap::kSum: return compute_time + permanent;
      case Overlap::kMax: return std::max(compute_time, permanent);
      case Overlap::kDuplex: return std::max(compute_time, permanent / 2);
    }
    return compute_time;
  }

  bool memory_fits(std::size_t c) const {
    const std::optional<std::int64_t>& limit = model_.classes[c].memory;
    return conflicts_ == 0 && (!limit || bytes_ + workspace_ <= *limit);
  }
  // Strictly below the limits in every half.
  bool fits(std::size_t c, const Halves& limit) const {
    if (!memory_fits(c)) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (!(load(c, h) < limit[h])) return false;
    return true;
  }
  bool may_still_fit(std::size_t c, const Halves& limit) const {
    if (!memory_fits(c)) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (!(monotone_load(c, h) < limit[h])) return false;
    return true;
  }
  std::size_t halves() const { return halves_; }

 private:
  // Reads, writes and permanent cuts of a price and half.
  double* transfers(int price, std::size_t half) {
    return &sums_[classes_ * halves_ + 3 * (static_cast<std::size_t>(price) * halves_ + half)];
  }
  const double* transfers(int price, std::size_t half) const {
    return &sums_[classes_ * halves_ + 3 * (static_cast<std::size_t>(price) * halves_ + half)];
  }
  void charge(std::uint32_t net, bool writing, double sign) {
    for (std::size_t p = 0; p < prices_; ++p)
      transfers(static_cast<int>(p), half_[net])[writing ? 1 : 0] +=
          sign * (writing ? write_ : read_)[net * prices_ + p];
  }
  void charge_permanent(std::uint32_t net) {
    for (std::size_t p = 0; p < prices_; ++p)
      transfers(static_cast<int>(p), half_[net])[2] +=
          std::min(read_[net * prices_ + p], write_[net * prices_ + p]);
  }

  const LoadModel& model_;
  std::size_t classes_, prices_, halves_;
  std::vector<std::uint16_t> pins_, count_;
  std::vector<std::uint8_t> half_, written_, outside_;
  std::vector<std::uint32_t> producer_, net_begin_, nets_, added_;
  std::vector<double> read_, write_, time_, sums_, saved_;
  std::vector<std::pair<std::int64_t, std::int64_t>> saved_bytes_;
  std::vector<std::uint32_t> apart_;
  std::int64_t bytes_ = 0, workspace_ = 0;
  int conflicts_ = 0;
};

}  // namespace berth
