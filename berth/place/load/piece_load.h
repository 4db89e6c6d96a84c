// The load of one piece while it grows and shrinks unit by unit, last in first out.
//
// Adding a unit touches its nets only: a net's first pin in the piece cuts it (a write if the pin
// is its producer, a read if not), its last pin makes it whole again. Load is therefore not
// monotone in the piece. What is: compute, bytes, and permanent cuts, nets with a pin in the piece
// and another that can never join it, because it is covered already. When those alone exceed the
// limit, no larger piece fits.
//
// The frontier are the nets with some, but not all, pins covered or in the piece: whoever takes the
// rest pays for each of them at least once.
#pragma once

#include <algorithm>

#include "berth/place/load/load_model.h"
#include "berth/sim/loads.h"

namespace berth {

// A limit just below a value, above the rounding of sums.
inline constexpr double kJustBelow = 1 - 1e-9;

class PieceLoad {
 public:
  using Halves = LoadModel::Halves;

  // `frontier_price` of each net; without it the frontier is zero.
  explicit PieceLoad(const LoadModel& model, std::span<const double> frontier_price = {})
      : model_(model),
        classes_(model.classes.size()),
        prices_(model.prices),
        halves_(model.halves_apart ? 2 : 1),
        apart_(model.apart_sets, 0) {
    for (std::size_t n = 0; n < model.nets.size(); ++n) {
      const LoadModel::Net& net = model.nets[n];
      nets_.push_back({.pins = static_cast<std::uint32_t>(net.pins.size()),
                       .producer = net.producer,
                       .half = net.half,
                       .frontier_price = frontier_price.empty() ? 0.0 : frontier_price[n]});
      for (std::size_t p = 0; p < prices_; ++p) {
        read_.push_back(net.read[p]);
        write_.push_back(net.write[p]);
      }
    }
    net_begin_.push_back(0);
    for (const LoadModel::Unit& unit : model.units) {
      net_of_.insert(net_of_.end(), unit.nets.begin(), unit.nets.end());
      net_begin_.push_back(static_cast<std::uint32_t>(net_of_.size()));
      for (std::size_t c = 0; c < classes_; ++c)
        for (std::size_t h = 0; h < halves_; ++h) time_.push_back(unit.time[c][h]);
    }
    first_transfer_ = classes_ * halves_;
    first_frontier_ = first_transfer_ + 3 * prices_ * halves_;
    width_ = first_frontier_ + halves_;
    sums_.assign(width_, 0.0);
    bytes_.assign(1, {});
    shared_.assign(model.shared_weights.size(), 0);
  }

  // Empties the piece. `covered` says of each net how many of its pins can never join.
  void start(std::span<const std::uint32_t> covered) {
    while (!added_.empty()) remove();
    std::fill(&sums_[first_frontier_], &sums_[first_frontier_] + halves_, 0.0);
    for (std::size_t n = 0; n < nets_.size(); ++n) {
      Net& net = nets_[n];
      net.covered = covered.empty() ? 0 : covered[n];
      if (net.covered > 0 && net.covered < net.pins)
        sums_[first_frontier_ + net.half] += net.frontier_price;
    }
  }
  void start() { start({}); }
  // The same, with the covered units as a bitset.
  void start_beside(std::span<const std::uint64_t> covered_units) {
    covered_.assign(nets_.size(), 0);
    for (std::uint32_t unit = 0; unit + 1 < net_begin_.size(); ++unit)
      if ((covered_units[unit / 64] >> (unit % 64)) & 1)
        for (std::uint32_t at = net_begin_[unit]; at < net_begin_[unit + 1]; ++at)
          ++covered_[net_of_[at]];
    start(covered_);
  }

  void add(std::uint32_t unit) {
    added_.push_back(unit);
    if (sums_.size() < (added_.size() + 1) * width_) sums_.resize(2 * sums_.size() + width_);
    const double* const before = &sums_[(added_.size() - 1) * width_];
    double* const sums = &sums_[added_.size() * width_];
    const double* const time = &time_[unit * first_transfer_];
    for (std::size_t i = 0; i < first_transfer_; ++i) sums[i] = before[i] + time[i];
    for (std::size_t i = first_transfer_; i < width_; ++i) sums[i] = before[i];
    const LoadModel::Unit& facts = model_.units[unit];
    Kept kept = bytes_.back();
    kept.weights += facts.bytes;
    kept.held += facts.private_bytes;
    kept.workspace = std::max(kept.workspace, facts.workspace);
    for (const std::uint32_t shared : facts.shared)
      if (shared_[shared]++ == 0) kept.held += model_.shared_weights[shared].bytes;
    bytes_.push_back(kept);
    for (const std::uint32_t set : facts.apart) conflicts_ += apart_[set]++ > 0;
    for (std::uint32_t at = net_begin_[unit]; at < net_begin_[unit + 1]; ++at)
      join(net_of_[at], unit, sums);
  }

  // Takes the last added unit back, sums restored to the bit.
  void remove() {
    const std::uint32_t unit = added_.back();
    added_.pop_back();
    bytes_.pop_back();
    for (const std::uint32_t shared : model_.units[unit].shared) --shared_[shared];
    for (std::uint32_t at = net_begin_[unit]; at < net_begin_[unit + 1]; ++at) {
      Net& net = nets_[net_of_[at]];
      --net.count;
      if (net.producer == unit) net.written = false;
    }
    for (const std::uint32_t set : model_.units[unit].apart) conflicts_ -= --apart_[set] > 0;
  }

  std::span<const std::uint32_t> units() const { return added_; }
  // Of the weights of its units, without copies of those that others hold.
  std::int64_t bytes() const { return bytes_.back().weights; }
  double compute(std::size_t c, std::size_t half = 0) const { return sums()[c * halves_ + half]; }
  double compute_of(std::uint32_t unit, std::size_t c) const {  // of the first half
    return time_[unit * first_transfer_ + c * halves_];
  }
  double frontier(std::size_t half = 0) const { return sums()[first_frontier_ + half]; }

  double load(std::size_t c, std::size_t half = 0) const {
    const double compute_time = compute(c, half);
    const int price = model_.classes[c].price;
    if (price < 0) return compute_time;
    const double* const moved = sums() + transfers(static_cast<std::size_t>(price), half);
    return overlapped(model_.overlap, compute_time, moved[0], moved[1]);
  }

  // Per sample, when so many devices take samples in turn.
  double load(std::size_t c, std::size_t half, std::size_t replicas) const {
    return share(load(c, half), half, replicas);
  }

  // With servers in the model: how long the network is busy if the piece is all that a server
  // holds.
  double network(std::size_t half = 0) const {
    const double* const moved = sums() + transfers(model_.network_price, half);
    return overlapped(model_.overlap, 0, moved[0], moved[1]);
  }

  // No larger piece has a smaller load than this.
  double monotone_load(std::size_t c, std::size_t half = 0) const {
    const double compute_time = compute(c, half);
    const int price = model_.classes[c].price;
    if (price < 0) return compute_time;
    const double permanent = sums()[transfers(static_cast<std::size_t>(price), half) + 2];
    if (model_.overlap == Overlap::kSum) return compute_time + permanent;
    return std::max(compute_time, model_.overlap == Overlap::kMax ? permanent : permanent / 2);
  }

  bool memory_fits(std::size_t c) const {
    const std::optional<std::int64_t>& limit = model_.classes[c].memory;
    return conflicts_ == 0 && (!limit || bytes_.back().held + bytes_.back().workspace <= *limit);
  }
  // Strictly below the limits in every half.
  bool fits(std::size_t c, const Halves& limit, std::size_t replicas = 1) const {
    if (!memory_fits(c)) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (!(load(c, h, replicas) < limit[h])) return false;
    return true;
  }
  bool may_still_fit(std::size_t c, const Halves& limit, std::size_t replicas = 1) const {
    if (!memory_fits(c)) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (!(share(monotone_load(c, h), h, replicas) < limit[h])) return false;
    return true;
  }
  std::size_t halves() const { return halves_; }

 private:
  struct Net {
    std::uint32_t pins = 0, producer = 0;
    std::uint32_t count = 0;    // pins in the piece
    std::uint32_t covered = 0;  // pins that can never join
    std::uint8_t half = 0;
    bool written = false;  // the producer is in the piece
    double frontier_price = 0;
  };

  struct Kept {
    std::int64_t weights = 0, held = 0, workspace = 0;  // held: weights and copies
  };

  const double* sums() const { return &sums_[added_.size() * width_]; }
  // Where reads, writes and permanent cuts of a price and half stand in the sums.
  std::size_t transfers(std::size_t price, std::size_t half) const {
    return first_transfer_ + 3 * (price * halves_ + half);
  }

  double share(double load, std::size_t half, std::size_t replicas) const {
    if (replicas == 1) return load;
    const double r = static_cast<double>(replicas);
    const double sync = half + 1 == halves_
                            ? 2 * (r - 1) / r * static_cast<double>(bytes()) * model_.sync_per_byte
                            : 0.0;
    return load / r + sync;
  }

  void join(std::uint32_t id, std::uint32_t unit, double* sums) {
    Net& net = nets_[id];
    const bool produces = net.producer == unit;
    const std::uint32_t before = net.count++;
    if (before == 0) {
      charge(id, produces, 1.0, sums);
      if (net.covered > 0) charge_permanent(id, sums);
    } else if (before + 1 == net.pins) {
      charge(id, net.written, -1.0, sums);
    } else if (produces) {
      charge(id, false, -1.0, sums);
      charge(id, true, 1.0, sums);
    }
    if (produces) net.written = true;
    const std::uint32_t reached = net.covered + net.count;
    if (reached == 1) sums[first_frontier_ + net.half] += net.frontier_price;
    if (reached == net.pins) sums[first_frontier_ + net.half] -= net.frontier_price;
  }
  void charge(std::uint32_t net, bool writing, double sign, double* sums) const {
    for (std::size_t p = 0; p < prices_; ++p)
      sums[transfers(p, nets_[net].half) + (writing ? 1 : 0)] +=
          sign * (writing ? write_ : read_)[net * prices_ + p];
  }
  void charge_permanent(std::uint32_t net, double* sums) const {
    for (std::size_t p = 0; p < prices_; ++p)
      sums[transfers(p, nets_[net].half) + 2] +=
          std::min(read_[net * prices_ + p], write_[net * prices_ + p]);
  }

  const LoadModel& model_;
  std::size_t classes_, prices_, halves_;
  std::size_t first_transfer_ = 0, first_frontier_ = 0, width_ = 0;
  std::vector<Net> nets_;
  std::vector<std::uint32_t> net_begin_, net_of_;  // the nets of each unit
  std::vector<double> read_, write_;               // by net and price
  std::vector<double> time_;                       // by unit, class and half
  // One row of sums for each added unit and one for the empty piece: compute by class and half,
  // transfers, frontier by half. Taking a unit back is a step to the row before.
  std::vector<double> sums_;
  std::vector<Kept> bytes_;  // rows alike
  std::vector<std::uint32_t> added_, apart_, covered_;
  std::vector<std::uint32_t> shared_;  // units of each shared weight in the piece
  int conflicts_ = 0;
};

// Segments of an order: from every j where `begins(j)`, units join one by one, and
// `grows(load, j, i)` looks at j..i and says whether a longer one is worth it.
template <class Begins, class Grows>
void for_each_segment(const LoadModel& model, const std::vector<std::uint32_t>& order,
                      Begins begins, Grows grows) {
  PieceLoad load(model);
  std::vector<std::uint32_t> covered(model.nets.size(), 0);
  for (std::size_t j = 0; j < order.size(); ++j) {
    if (begins(j)) {
      load.start(covered);
      std::size_t i = j;
      do load.add(order[i++]);
      while (grows(load, j, i) && i < order.size());
    }
    for (const std::uint32_t net : model.units[order[j]].nets) ++covered[net];
  }
}

}  // namespace berth
