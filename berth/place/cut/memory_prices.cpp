#include "berth/place/cut/memory_prices.h"

#include <algorithm>
#include <cmath>

#include "berth/place/cut/cut_moves.h"

namespace berth {
namespace {

constexpr int kMostCuts = 30;
constexpr int kMostRounds = 16;  // of prices on many devices

double limit_of(const AdditiveCost& cost, DeviceId device) {
  return static_cast<double>(cost.problem().cluster().device(device).memory->count);
}

// The cheapest placement under a price on one of two devices, as a line in that price.
struct Line {
  UnitDevices device_of;
  double height = 0;  // C(P), unpriced
  double slope = 0;   // m(P) - M
  double bound = 0;   // of the priced minimum, less mu M
};

Line cut_at(const AdditiveCost& cost, DeviceId full, double mu, const UnitDevices& start) {
  Prices prices;
  prices.per_byte.assign(2, 0.0);
  prices.per_byte[index(full)] = mu;
  SwapResult swap = best_swap(cost.with_prices(std::move(prices)), start, DeviceId{0}, DeviceId{1});
  Line line;
  line.height = cost(swap.device_of);
  line.slope = cost.bytes_on(swap.device_of, full) - limit_of(cost, full);
  line.bound = swap.bound - mu * limit_of(cost, full);
  line.device_of = std::move(swap.device_of);
  return line;
}

// A price at which bytes cost about as much as everything else: where doubling starts.
double typical_price(const AdditiveCost& cost, const UnitDevices& start) {
  double bytes = 0;
  for (const UnitId unit : cost.problem().units()) bytes += cost.bytes(unit);
  const double value = cost(start);
  return bytes > 0 && value > 0 && std::isfinite(value) ? value / bytes / 16 : 1e-6;
}

}  // namespace

Duration price_one_device(const AdditiveCost& cost, DeviceId full, const Budget& budget,
                          const Consider& consider) {
  const UnitDevices start = cheapest_start(cost);
  Line over = cut_at(cost, full, 0, start);
  double best = over.bound;
  if (over.slope <= 0) return Duration{best};  // weights fit: a price proves nothing more

  double mu = typical_price(cost, start);
  Line fits;
  bool found = false;
  int cuts = 0;
  for (; !found && cuts < 64 && !budget.spent(); ++cuts, mu *= 4) {
    Line line = cut_at(cost, full, mu, start);
    best = std::max(best, line.bound);
    consider(line.device_of);
    found = line.slope <= 0;
    (found ? fits : over) = std::move(line);
    // A price that doubles the cost many times over and still moves nothing: the bytes are pinned.
    if (!found && mu * limit_of(cost, full) > 1e9 * (1 + over.height)) break;
  }
  for (; found && cuts < kMostCuts && !budget.spent(); ++cuts) {
    mu = (fits.height - over.height) / (over.slope - fits.slope);
    const double meeting = over.height + mu * over.slope;
    Line line = cut_at(cost, full, mu, start);
    best = std::max(best, line.bound);
    const double value = line.height + mu * line.slope;
    if (value >= meeting - 1e-12 * std::abs(meeting)) break;  // on both lines: the best price
    consider(line.device_of);
    (line.slope <= 0 ? fits : over) = std::move(line);
  }
  return Duration{std::max(0.0, best)};
}

void price_until_it_fits(const AdditiveCost& cost, DeviceId full, const Budget& budget,
                         const Consider& consider, const Overfull& overfull) {
  const UnitDevices start = cheapest_start(cost);
  double low = 0, high = typical_price(cost, start);
  bool fits = false;
  int cuts = 0;
  for (; cuts < kMostCuts && !budget.spent(); ++cuts) {
    const Line line = cut_at(cost, full, high, start);
    consider(line.device_of);
    fits = !overfull(line.device_of, full);
    if (fits) break;
    low = high;
    high *= 4;
  }
  for (int i = 0; fits && i < 10 && !budget.spent(); ++i) {
    const double middle = low > 0 ? std::sqrt(low * high) : high / 2;
    const Line line = cut_at(cost, full, middle, start);
    consider(line.device_of);
    (overfull(line.device_of, full) ? low : high) = middle;
  }
}

void price_all_devices(const AdditiveCost& cost, const Budget& budget, const Consider& consider,
                       const Overfull& overfull) {
  UnitDevices current = cheapest_start(cost);
  const double step = typical_price(cost, current);
  Prices prices;
  prices.per_byte.assign(cost.device_count(), 0.0);
  for (int round = 0; round < kMostRounds && !budget.spent(); ++round) {
    bool any = false;
    for (const DeviceId device : cost.problem().devices()) {
      double& price = prices.per_byte[index(device)];
      const bool over = overfull(current, device);
      any = any || over;
      if (over)
        price = price == 0 ? step : price * 2;
      else
        price *= 0.8;
    }
    if (!any && round > 0) return;
    current = expand_and_swap(cost.with_prices(prices), current, budget);
    consider(current);
  }
}

}  // namespace berth
