#include "berth/place/load/linear_dp.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "berth/place/load/ideal_search.h"

namespace berth {
namespace {

constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();  // prefixes are few

// The factor that makes a limit of a value already found. The search over ideals finds its split
// again by another way and rounds its sums otherwise.
double just_below(const LoadModel& model) { return model.servers.empty() ? 1 - 1e-12 : kJustBelow; }

// With servers the search over ideals, which are the prefixes once the order is total.
std::optional<PieceChain> minimise_by_servers(const LoadModel& model,
                                              const std::vector<std::uint32_t>& order,
                                              const LoadModel::Halves& limit) {
  UnitOrder total;
  total.before.resize(order.size());
  total.after.resize(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    total.before[order[i]] = {order[i - 1]};
    total.after[order[i - 1]] = {order[i]};
  }
  return search_ideals(model, total, {.load = limit, .bytes = kAnyBytes}, Budget{}).best;
}

// Minimises the largest load of half `h`, the last one, loads of the other half strictly below
// `limit[other]` and of this one below `limit[h]`.
std::optional<PieceChain> minimise_half(const LoadModel& model,
                                        const std::vector<std::uint32_t>& order,
                                        const LoadModel::Halves& limit, std::size_t h) {
  if (!model.servers.empty()) return minimise_by_servers(model, order, limit);
  const std::size_t n = order.size();
  const DeviceStates states(model);
  struct Step {
    std::uint32_t from = 0, device_class = 0, replicas = 1;
  };
  std::vector<double> best((n + 1) * states.count, kInfinity);
  std::vector<Step> step((n + 1) * states.count);
  best[0] = 0;
  const auto reached = [&](std::size_t j) {
    const double* const from = &best[j * states.count];
    return std::any_of(from, from + states.count, [](double v) { return v < kInfinity; });
  };
  for_each_segment(model, order, reached, [&](const PieceLoad& load, std::size_t j, std::size_t i) {
    const double* const from = &best[j * states.count];
    bool alive = false;
    for (std::uint32_t c = 0; c < model.classes.size(); ++c)
      for (std::uint32_t r = 1; r <= most_replicas(model, c); ++r) {
        if (!load.may_still_fit(c, limit, r)) continue;
        alive = true;
        if (!load.fits(c, limit, r)) continue;
        const double own = load.load(c, h, r);
        for (std::size_t s = 0; s < states.count; ++s) {
          if (!(from[s] < kInfinity) || states.left(s, c) < r) continue;
          const std::size_t to = i * states.count + s + r * states.stride[c];
          const double value = std::max(from[s], own);
          if (!(value < best[to])) continue;
          best[to] = value;
          step[to] = {static_cast<std::uint32_t>(j), c, r};
        }
      }
    return alive;
  });

  const double* const last = &best[n * states.count];
  const std::size_t state =
      static_cast<std::size_t>(std::min_element(last, last + states.count) - last);
  if (!(last[state] < kInfinity)) return std::nullopt;
  PieceChain chain;
  for (std::size_t i = n, s = state; i > 0;) {
    const Step& at = step[i * states.count + s];
    chain.pieces.push_back(
        {{order.begin() + at.from, order.begin() + static_cast<std::ptrdiff_t>(i)},
         at.device_class,
         at.replicas});
    i = at.from;
    s -= at.replicas * states.stride[at.device_class];
  }
  std::reverse(chain.pieces.begin(), chain.pieces.end());
  return chain;
}

}  // namespace

std::vector<std::uint32_t> depth_first_order(const LoadModel& model, Rng& rng, bool plain) {
  const std::size_t n = model.unit_count();
  std::vector<std::size_t> missing(n);
  std::vector<std::uint32_t> stack, order;
  for (std::uint32_t u = 0; u < n; ++u)
    if ((missing[u] = model.units[u].before.size()) == 0) stack.push_back(u);
  if (!plain) rng.shuffle(stack);
  while (!stack.empty()) {
    if (!plain && rng.below(4) == 0) std::swap(stack[rng.below(stack.size())], stack.back());
    const std::uint32_t unit = stack.back();
    stack.pop_back();
    order.push_back(unit);
    std::vector<std::uint32_t> after = model.units[unit].after;
    if (!plain) rng.shuffle(after);
    for (const std::uint32_t next : after)
      if (--missing[next] == 0) stack.push_back(next);
  }
  return order;
}

std::optional<PieceChain> linear_split(const LoadModel& model,
                                       const std::vector<std::uint32_t>& order, double value) {
  if (!model.halves_apart) return minimise_half(model, order, {value, kInfinity}, 0);
  const double floor = work_floor(model, 0);
  std::optional<PieceChain> best;
  LoadModel::Halves limit{value, value};
  while (limit[1] > 0) {
    std::optional<PieceChain> found = minimise_half(model, order, limit, 1);
    if (!found) break;
    const ChainValue at = value_of(model, *found);
    if (at.value() < value) {
      value = at.value();
      best = std::move(found);
    }
    limit = {at.largest[0] * just_below(model), value - floor};
  }
  return best;
}

std::optional<PieceChain> best_linear_split(const LoadModel& model, int orders, Budget& budget,
                                            const Rng& rng) {
  std::optional<PieceChain> best;
  double value = kInfinity;
  for (int i = 0; i < std::max(1, orders); ++i) {
    if (i > 0 && budget.spent()) break;
    Rng stream = rng.split(static_cast<std::uint64_t>(i));
    std::optional<PieceChain> found =
        linear_split(model, depth_first_order(model, stream, i == 0), value * just_below(model));
    budget.count();
    if (!found) continue;
    best = std::move(found);
    value = value_of(model, *best).value();
    budget.report({.phase = "linear orders", .best = Duration{value}, .bound = {}});
  }
  return best;
}

void linear_dp(const Context& context, const LinearDpOptions& options) {
  const Problem& problem = context.problem;
  const LoadModel model =
      with_replicas(load_model(problem, {.servers = true}), problem, options.replicas);
  if (const std::optional<std::string> why = why_too_many_states(model))
    return context.incumbent.fail(*why);
  if (const auto best = best_linear_split(model, options.orders, context.budget, context.rng))
    context.incumbent.suggest(placement_of(problem, model, *best));
  else
    context.incumbent.fail(
        "no contiguous split along the tried orders fits memory and constraints");
}

}  // namespace berth
