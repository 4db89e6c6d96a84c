#include "berth/place/latency/latency_dp.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/place/latency/call_chain.h"
#include "berth/place/load/linear_dp.h"
#include "berth/search/search_state.h"

namespace berth {
namespace {

// How far above the best a split's serial time may be for its true latency to be worth a look.
constexpr double kWorthJudging = 1.02;

// ---- along one order ----

// The cheapest chain along the order, if below `limit`.
std::optional<CallChain> serial_split(const CallModel& model,
                                      const std::vector<std::uint32_t>& order, double limit,
                                      const Budget& budget) {
  const std::size_t n = order.size(), states = model.states;
  struct Step {
    std::uint32_t from = 0;
    std::uint8_t accelerator = kOnCpu;
  };
  std::vector<double> best((n + 1) * states, kInfinity), rest(n + 1, 0);
  std::vector<Step> step((n + 1) * states);
  for (std::size_t i = n; i-- > 0;) rest[i] = rest[i + 1] + model.least_time[order[i]];
  best[0] = 0;
  const auto offer = [&](std::size_t to, double value, std::size_t from, std::size_t accelerator) {
    if (!(value < best[to])) return;
    best[to] = value;
    step[to] = {static_cast<std::uint32_t>(from), static_cast<std::uint8_t>(accelerator)};
  };
  double least = 0;  // of the states that a segment begins with
  const auto begins = [&](std::size_t j) {
    const double* const from = &best[j * states];
    least = *std::min_element(from, from + states);
    if (budget.spent() || !(least + rest[j] < limit)) return false;
    for (std::size_t s = 0; s < states; ++s)
      offer((j + 1) * states + s, from[s] + model.cpu_time[order[j]], j, kOnCpu);
    return true;
  };
  for_each_segment(
      model.loads, order, begins, [&](const PieceLoad& load, std::size_t j, std::size_t i) {
        const double* const from = &best[j * states];
        bool alive = false;
        for (std::size_t a = 0; a < model.accelerators.size(); ++a) {
          const std::uint32_t c = model.accelerators[a];
          if (!load.memory_fits(c) || !(least + load.monotone_load(c) + rest[i] < limit)) continue;
          alive = true;
          const double own = load.load(c);
          for (std::size_t s = 0; s < states; ++s)
            if (from[s] < kInfinity && model.in_use.left(s, a) > 0)
              offer(i * states + s + model.in_use.stride[a], from[s] + own, j, a);
        }
        return alive;
      });
  if (budget.spent()) return std::nullopt;

  const double* const last = &best[n * states];
  std::size_t s = static_cast<std::size_t>(std::min_element(last, last + states) - last);
  const double value = last[s];
  if (!(value < limit)) return std::nullopt;
  CallChain chain;
  chain.cost = value;
  for (std::size_t i = n; i > 0;) {
    const Step& at = step[i * states + s];
    chain.steps.push_back(
        {{order.begin() + at.from, order.begin() + static_cast<std::ptrdiff_t>(i)},
         at.accelerator});
    i = at.from;
    if (at.accelerator != kOnCpu) s -= model.in_use.stride[at.accelerator];
  }
  return chain;
}

// ---- the true latency ----

// Offers the split; CPU limits, which the recurrence ignores, are repaired.
void judge(const Context& context, const CallModel& model, const CallChain& chain) {
  const char* const phase = "latency-dp";
  const Problem& problem = context.problem;
  const Placement placement = placement_of(problem, model, chain);
  const Score score = context.incumbent.offer(placement, {}, phase).score;
  context.budget.count();
  if (score.feasible() && !broken_rule(problem, placement)) return;
  auto units = make_allowed(problem, to_units(problem, placement));
  const Repair repair = context.incumbent.placement() ? Repair::kWithinBudget : Repair::kToTheEnd;
  if (units) units = make_fit(problem, std::move(*units), context.budget, repair);
  if (units) context.incumbent.offer(from_units(problem, *units), {}, phase);
}

}  // namespace

void latency_dp(const Context& context, const LatencyDpOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  const CallModel model(load_model(with_call_loads(problem), {.idle_bytes = IdleBytes::kMerge}), 1);
  const std::size_t most_bytes = static_cast<std::size_t>(std::max(1, options.memory_mb)) << 20;
  if ((model.loads.unit_count() + 1) * model.states > most_bytes / 16)
    return context.incumbent.fail(
        fmt::format("latency-dp counts the accelerators used of each kind, and {} states "
                    "for each of {} units do not fit memory_mb={}",
                    model.states, model.loads.unit_count(), options.memory_mb));
  double limit = kInfinity;
  const Rng streams = context.rng.split("orders");
  for (int i = 0; i < std::max(1, options.orders); ++i) {
    if (i > 0 && budget.spent()) break;
    Rng stream = streams.split(static_cast<std::uint64_t>(i));
    const std::vector<std::uint32_t> order = depth_first_order(model.loads, stream, i == 0);
    const std::optional<CallChain> split =
        serial_split(model, order, limit * kWorthJudging, budget);
    if (!split) continue;
    judge(context, model, *split);
    limit = std::min(limit, split->cost);
  }

  const ChainCosts costs{.cpu = model.cpu_time, .least = model.least_time};
  const ChainSearch search = cheapest_chain(model, costs, limit * kJustBelow, most_bytes, budget);
  if (!search.complete)
    context.incumbent.note(
        fmt::format("latency-dp stopped at {} ideals: the split is the best of {} linear orders",
                    search.ideals, options.orders));
  if (search.best) judge(context, model, *search.best);
  context.incumbent.fail(
      "no split into one call per accelerator was found that fits memory and constraints");
}

}  // namespace berth
