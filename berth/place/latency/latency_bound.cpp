#include "berth/place/latency/latency_bound.h"

#include <numeric>

#include "berth/place/latency/call_chain.h"
#include "berth/place/latency/whole_units.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

constexpr double kEnough = 1e-7;  // value / bound - 1 at which nothing is left to gain

// Idle units with bytes can multiply the ideals (an input may come at any time): they are kept
// apart only where that stays small, else they join their neighbour and their bytes are forgotten.
LoadModel bound_model(const Problem& problem) {
  constexpr std::uint64_t kFewIdeals = 100000;
  const Problem loads = with_call_loads(problem);
  LoadModel model = load_model(loads);
  if (count_ideals(unit_order(model), kFewIdeals)) return model;
  return load_model(loads, {.idle_bytes = IdleBytes::kForget});
}

// The ways into units, one after another: for each unit a start there, then the edges from the units
// before it. A flow gives each way its share; a toll is what a split makes each way pay.
struct Ways {
  explicit Ways(const LoadModel& of) : model(of) {
    for (const LoadModel::Unit& unit : model.units)
      begin.push_back(begin.back() + 1 + unit.before.size());
  }
  std::size_t unit_count() const { return model.unit_count(); }
  std::size_t count() const { return begin.back(); }
  std::span<const std::uint32_t> before(std::size_t unit) const { return model.units[unit].before; }

  const LoadModel& model;
  std::vector<std::size_t> begin{0};
};
using Flow = std::vector<double>;
using Toll = std::vector<double>;

double flow_into(const Ways& ways, const Flow& flow, std::size_t unit) {
  return std::accumulate(&flow[ways.begin[unit]], &flow[0] + ways.begin[unit + 1], 0.0);
}

double paid(const Flow& flow, const Toll& toll) {
  return std::inner_product(flow.begin(), flow.end(), toll.begin(), 0.0);
}

// Rounding of the linear program taken out: starts sum to one, no unit sends more than it has.
Flow made_valid(const Ways& ways, Flow flow) {
  const std::size_t n = ways.unit_count();
  double total = 0;
  for (double& part : flow) part = std::max(0.0, part);
  for (std::size_t u = 0; u < n; ++u) total += flow[ways.begin[u]];
  for (std::size_t u = 0; u < n; ++u) flow[ways.begin[u]] /= total;
  std::vector<double> sent(n, 0), scale(n, 1);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t i = 0; i < ways.before(u).size(); ++i)
      sent[ways.before(u)[i]] += flow[ways.begin[u] + 1 + i];
  for (std::size_t u = 0; u < n; ++u) {  // units are in topological order
    for (std::size_t i = 0; i < ways.before(u).size(); ++i)
      flow[ways.begin[u] + 1 + i] *= scale[ways.before(u)[i]];
    const double has = flow_into(ways, flow, u);
    if (sent[u] > has) scale[u] = has / sent[u];
  }
  return flow;
}

// A flow to start from: backwards from the end of the longest path, divided among the units before
// in proportion to the longest path to each. Parallel branches share it, inputs at the side get
// little, so that a call across all branches weighs nearly one.
Flow spread_flow(const Ways& ways, const std::vector<double>& time) {
  const std::size_t n = ways.unit_count();
  std::vector<double> head(n, 0), through(n, 0);
  for (std::size_t u = 0; u < n; ++u) {
    for (const std::uint32_t before : ways.before(u)) head[u] = std::max(head[u], head[before]);
    head[u] += time[u];
  }
  through[static_cast<std::size_t>(std::ranges::max_element(head) - head.begin())] = 1;
  Flow flow(ways.count(), 0);
  for (std::size_t u = n; u-- > 0;) {
    double sum = 0, *part = &flow[ways.begin[u]];
    for (const std::uint32_t before : ways.before(u)) sum += head[before];
    if (sum <= 0) {
      *part = through[u];
      continue;
    }
    for (const std::uint32_t before : ways.before(u)) {
      *++part = through[u] * head[before] / sum;
      through[before] += *part;
    }
  }
  return flow;
}

Flow between(const Flow& a, const Flow& b) {
  Flow middle;
  for (std::size_t i = 0; i < a.size(); ++i) middle.push_back((a[i] + b[i]) / 2);
  return middle;
}

Toll toll_of(const CallModel& model, const std::vector<double>& passage, const CallChain& chain) {
  constexpr std::uint32_t kNoCall = 0xffffffff;
  std::vector<std::uint32_t> call_of(model.loads.unit_count(), kNoCall);
  std::vector<double> loads;
  PieceLoad load(model.loads);
  for (const CallChain::Step& step : chain.steps) {
    if (step.accelerator == kOnCpu) continue;
    load.start();
    for (const std::uint32_t unit : step.units) {
      load.add(unit);
      call_of[unit] = static_cast<std::uint32_t>(loads.size());
    }
    loads.push_back(load.load(model.accelerators[step.accelerator]));
  }
  Toll toll;
  for (std::size_t u = 0; u < call_of.size(); ++u) {
    const bool in_call = call_of[u] != kNoCall;
    const double entering = in_call ? loads[call_of[u]] : passage[u];
    toll.push_back(entering);
    for (const std::uint32_t before : model.loads.units[u].before)
      toll.push_back(in_call && call_of[before] == call_of[u] ? 0.0 : entering);
  }
  return toll;
}

struct Reply {
  Flow flow;
  double value = 0;  // no flow does better against these splits
};

// max z  with  z <= toll_i(flow) for every split found.
std::optional<Reply> best_flow(const Ways& ways, std::span<const Toll> tolls, double unit_time,
                               const Budget& budget) {
  MilpModel program;
  const VariableId z = program.add_variable({.cost = -1});
  const auto variable = [](std::size_t way) { return static_cast<VariableId>(way + 1); };
  std::vector<Term> all;
  std::vector<std::vector<Term>> balance(ways.unit_count());
  for (std::size_t u = 0; u < ways.unit_count(); ++u)
    for (std::size_t way = ways.begin[u]; way < ways.begin[u + 1]; ++way) {
      program.add_variable({.upper = 1});
      balance[u].push_back({variable(way), 1});
      if (way == ways.begin[u])
        all.push_back({variable(way), 1});
      else
        balance[ways.before(u)[way - ways.begin[u] - 1]].push_back({variable(way), -1});
    }
  program.add_row(1, 1, all);
  for (const std::vector<Term>& row : balance) program.add_row(0, kNoLimit, row);
  for (const Toll& toll : tolls) {
    std::vector<Term> row{{z, -1}};
    for (std::size_t way = 0; way < toll.size(); ++way)
      row.push_back({variable(way), toll[way] / unit_time});
    program.add_row(0, kNoLimit, row);
  }
  const MilpSolution solution =
      solve(program, {.seconds = budget.seconds_left(), .stop = [&] { return budget.stopped(); }});
  if (solution.status != MilpStatus::kOptimal) return std::nullopt;
  return Reply{made_valid(ways, {solution.values.begin() + 1, solution.values.end()}),
               -solution.objective * unit_time};
}

ChainCosts costs_under(const CallModel& model, const std::vector<double>& passage, const Ways& ways,
                       const Flow& flow) {
  ChainCosts costs;
  for (std::size_t u = 0; u < ways.unit_count(); ++u) {
    const double through = flow_into(ways, flow, u);
    double least = passage[u];
    for (const std::uint32_t c : model.accelerators)
      least = std::min(least, model.loads.units[u].time[c][0]);
    costs.cpu.push_back(passage[u] < kInfinity ? through * passage[u] : kInfinity);
    costs.least.push_back(least < kInfinity ? through * least : 0.0);
    costs.enter.push_back(through);
    costs.from.emplace_back(&flow[ways.begin[u]] + 1, &flow[0] + ways.begin[u + 1]);
  }
  return costs;
}

// The start as a chain; its order does not matter here.
CallChain chain_of(const CallModel& model, const Placement& placement) {
  CallChain chain;
  for (std::size_t a = 0; a < model.accelerators.size(); ++a)
    for (const DeviceId device : model.loads.classes[model.accelerators[a]].devices) {
      CallChain::Step step{{}, static_cast<std::uint8_t>(a)};
      for (std::uint32_t u = 0; u < model.loads.unit_count(); ++u)
        if (placement.device_of[model.loads.units[u].nodes.front()] == device)
          step.units.push_back(u);
      if (!step.units.empty()) chain.steps.push_back(std::move(step));
    }
  return chain;
}

}  // namespace

LatencyBound latency_bound(const Problem& problem, const Placement& start,
                           const LatencyBoundOptions& options, Budget& budget) {
  Evaluator evaluator(problem);
  LatencyBound result{.value = {}, .best = start, .score = evaluator(start)};
  if (!milp_available()) return result;
  const int pieces = problem.get<CallLatency>().pieces;
  const Problem whole = with_whole_units(problem);
  const CallModel model(bound_model(whole), static_cast<std::size_t>(pieces));
  if (model.states * (model.loads.unit_count() + 1) > options.most_bytes / 16) return result;
  const std::vector<double> passage = cpu_passages(whole, model.loads);
  const Ways ways(model.loads);
  const double unit_time = std::max(1e-9, result.score.value.count());

  std::vector<Toll> tolls;
  // With several pieces per accelerator the start's calls are not known by device; begin without.
  if (pieces == 1) tolls.push_back(toll_of(model, passage, chain_of(model, start)));
  std::optional<Flow> best_flow_so_far;
  double bound = 0;
  bool stuck = false;  // half a step taught nothing: take the whole
  for (result.rounds = 0; result.rounds < options.rounds && !budget.spent(); ++result.rounds) {
    Flow flow;
    if (!best_flow_so_far) {
      flow = spread_flow(ways, model.least_time);
    } else {
      const std::optional<Reply> reply = best_flow(ways, tolls, unit_time, budget);
      if (!reply || reply->value <= bound * (1 + 1e-9)) break;  // no flow does better: solved
      flow = stuck ? reply->flow : between(*best_flow_so_far, reply->flow);
    }
    double limit = kInfinity;
    for (const Toll& toll : tolls) limit = std::min(limit, paid(flow, toll));
    const ChainSearch search = cheapest_chain(model, costs_under(model, passage, ways, flow),
                                              limit * kJustBelow, options.most_bytes, budget);
    result.ideals = std::max(result.ideals, search.ideals);
    if (!search.complete) break;
    const double value = (search.best ? search.best->cost : limit) * kJustBelow;
    if (!best_flow_so_far || value > bound) best_flow_so_far = flow;
    bound = std::max(bound, value);
    result.value = Duration{bound};
    stuck = !search.best;
    if (search.best) {
      tolls.push_back(toll_of(model, passage, *search.best));
      Placement placement = placement_of(problem, model, *search.best);
      const Score score = evaluator(placement);
      budget.count();
      if (score < result.score && !broken_rule(problem, placement)) {
        result.best = std::move(placement);
        result.score = score;
      }
    }
    budget.report({.phase = "bound", .best = result.score.value, .bound = result.value});
    if (result.score.value.count() <= bound * (1 + kEnough)) break;
  }
  return result;
}

}  // namespace berth
