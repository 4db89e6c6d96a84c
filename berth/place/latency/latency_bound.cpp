#include "berth/place/latency/latency_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/graph/ideals.h"
#include "berth/place/latency/call_chain.h"
#include "berth/place/load/piece_load.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- units that may be kept whole ----

// Longest time of paths inside a node set, from each entry to each exit.
class InnerPaths {
 public:
  InnerPaths(const Problem& problem, std::span<const NodeId> nodes) : graph_(problem.graph()) {
    position_.assign(graph_.node_count(), kOutside);
    for (const NodeId node : nodes) position_[index(node)] = 0;
    for (const NodeId node : graph_.topological_order())
      if (position_[index(node)] != kOutside) {
        position_[index(node)] = static_cast<std::uint32_t>(members_.size());
        members_.push_back(node);
      }
  }
  bool is_entry(NodeId node) const { return has_outsider(graph_.predecessors(node)); }
  bool is_exit(NodeId node) const { return has_outsider(graph_.successors(node)); }

  // By member: the longest path from `entry` to it, both included; -infinity where there is none.
  // Without an entry paths may start anywhere.
  template <class Time>
  std::vector<double> longest_from(std::optional<NodeId> entry, const Time& time) const {
    std::vector<double> longest(members_.size(), -kInfinity);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      double before = !entry || *entry == members_[i] ? 0 : -kInfinity;
      for (const NodeId other : graph_.predecessors(members_[i]))
        if (position_[index(other)] != kOutside)
          before = std::max(before, longest[position_[index(other)]]);
      longest[i] = before + time(members_[i]);
    }
    return longest;
  }

  // The least over entries and exits of the longest path between them: what a path that passes the
  // set takes at least. -infinity when some entry does not reach some exit.
  template <class Time>
  double least_passage(const Time& time) const {
    std::vector<std::optional<NodeId>> entries;
    std::vector<std::size_t> exits;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (is_entry(members_[i])) entries.emplace_back(members_[i]);
      if (is_exit(members_[i])) exits.push_back(i);
    }
    if (entries.empty()) entries.emplace_back();
    double least = kInfinity;
    for (const std::optional<NodeId>& entry : entries) {
      const std::vector<double> longest = longest_from(entry, time);
      double most = -kInfinity;
      for (const double value : longest) most = std::max(most, value);
      for (const std::size_t at : exits) least = std::min(least, longest[at]);
      if (exits.empty()) least = std::min(least, most);
    }
    return least;
  }

 private:
  static constexpr std::uint32_t kOutside = 0xffffffff;
  bool has_outsider(std::span<const NodeId> others) const {
    return std::any_of(others.begin(), others.end(),
                       [&](NodeId other) { return position_[index(other)] == kOutside; });
  }

  const Graph& graph_;
  std::vector<std::uint32_t> position_;
  std::vector<NodeId> members_;  // in topological order
};

bool acts_as_one(const Problem& problem, UnitId unit) {
  if (problem.members(unit).size() == 1) return true;
  const InnerPaths paths(problem, problem.members(unit));
  return paths.least_passage([](NodeId) { return 0.0; }) > -kInfinity;
}

// The problem with some units taken apart.
Problem relaxed(const Problem& problem, const IdVector<UnitId, bool>& taken_apart) {
  const Graph& graph = problem.graph();
  GraphBuilder builder;
  for (const NodeId id : graph.nodes()) {
    Node node = graph.node(id);
    if (taken_apart[problem.unit_of(id)]) node.group = kNoGroup;
    builder.add_node(std::move(node));
  }
  for (const TensorId tensor : graph.tensors()) {
    builder.add_tensor(graph.producer(tensor), graph.tensor(tensor));
    for (const NodeId consumer : graph.consumers(tensor)) builder.add_use(tensor, consumer);
  }
  Constraints constraints = problem.constraints();
  std::erase_if(constraints.together, [&](const std::vector<NodeId>& nodes) {
    return !nodes.empty() && taken_apart[problem.unit_of(nodes.front())];
  });
  return Problem(problem.name(), std::move(builder).build(), problem.cluster(), problem.costs(),
                 std::move(constraints), problem.model());
}

Problem with_whole_units(const Problem& problem) {
  IdVector<UnitId, bool> taken_apart(problem.unit_count(), false);
  bool any = false;
  for (const UnitId unit : problem.units()) {
    const bool whole = problem.as<CallLatency>()->pieces > 1 ? problem.members(unit).size() == 1
                                                             : acts_as_one(problem, unit);
    taken_apart[unit] = !whole;
    any = any || !whole;
  }
  return any ? relaxed(problem, taken_apart) : problem;
}

// Idle units with bytes can multiply the ideals (an input may come at any time): they are kept
// apart only where that stays small, else they join their neighbour and their bytes are forgotten.
LoadModel bound_model(const Problem& problem) {
  constexpr std::uint64_t kFewIdeals = 100000;
  const Problem loads = with_call_loads(problem);
  LoadModel model = load_model(loads);
  if (count_ideals(unit_order(model), kFewIdeals)) return model;
  return load_model(loads, {.idle_bytes = IdleBytes::kForget});
}

// ---- flows and splits ----

// Least time of a path through each unit when it is on a CPU.
std::vector<double> cpu_passages(const Problem& problem, const LoadModel& model) {
  std::vector<double> result;
  for (const LoadModel::Unit& unit : model.units) {
    double least = kInfinity;
    std::optional<InnerPaths> paths;
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      if (model.classes[c].price >= 0 || !(unit.time[c][0] < kInfinity)) continue;
      const DeviceId device = model.classes[c].devices.front();
      const auto time = [&](NodeId node) { return problem.time(node, device).count(); };
      if (unit.nodes.size() == 1) {
        least = std::min(least, time(unit.nodes.front()));
        continue;
      }
      if (!paths) paths.emplace(problem, unit.nodes);
      least = std::min(least, std::max(0.0, paths->least_passage(time)));
    }
    result.push_back(least);
  }
  return result;
}

// One unit of flow over the order of the units.
struct Flow {
  std::vector<double> start;              // that begins at each unit
  std::vector<std::vector<double>> from;  // along units[u].before

  double into(std::size_t unit) const {
    double sum = start[unit];
    for (const double part : from[unit]) sum += part;
    return sum;
  }
};

// Rounding of the linear program taken out: starts sum to one, no unit sends more than it has.
Flow made_valid(const LoadModel& model, Flow flow) {
  double total = 0;
  for (double& part : flow.start) total += part = std::max(0.0, part);
  for (double& part : flow.start) part /= total;
  const std::size_t n = model.unit_count();
  std::vector<double> sent(n, 0), scale(n, 1);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t i = 0; i < flow.from[u].size(); ++i)
      sent[model.units[u].before[i]] += flow.from[u][i] = std::max(0.0, flow.from[u][i]);
  for (std::size_t u = 0; u < n; ++u) {  // units are in topological order
    for (std::size_t i = 0; i < flow.from[u].size(); ++i)
      flow.from[u][i] *= scale[model.units[u].before[i]];
    const double has = flow.into(u);
    if (sent[u] > has) scale[u] = has / sent[u];
  }
  return flow;
}

// A flow to start from: backwards from the end of the longest path, divided among the units before
// in proportion to the longest path to each. Parallel branches share it, inputs at the side get
// little, so that a call across all branches weighs nearly one.
Flow spread_flow(const LoadModel& model, const std::vector<double>& time) {
  const std::size_t n = model.unit_count();
  std::vector<double> head(n, 0), through(n, 0);
  for (std::size_t u = 0; u < n; ++u) {
    for (const std::uint32_t before : model.units[u].before)
      head[u] = std::max(head[u], head[before]);
    head[u] += time[u];
  }
  through[static_cast<std::size_t>(std::max_element(head.begin(), head.end()) - head.begin())] = 1;
  Flow flow{std::vector<double>(n, 0), std::vector<std::vector<double>>(n)};
  for (std::size_t u = n; u-- > 0;) {
    double sum = 0;
    for (const std::uint32_t before : model.units[u].before) sum += head[before];
    if (sum <= 0) flow.start[u] = through[u];
    for (const std::uint32_t before : model.units[u].before) {
      flow.from[u].push_back(sum > 0 ? through[u] * head[before] / sum : 0.0);
      through[before] += flow.from[u].back();
    }
  }
  return flow;
}

Flow between(const Flow& a, const Flow& b) {
  Flow middle = a;
  for (std::size_t u = 0; u < a.start.size(); ++u) {
    middle.start[u] = (a.start[u] + b.start[u]) / 2;
    for (std::size_t i = 0; i < a.from[u].size(); ++i)
      middle.from[u][i] = (a.from[u][i] + b.from[u][i]) / 2;
  }
  return middle;
}

// What a split makes a flow pay, as coefficients of the flow.
struct Toll {
  std::vector<double> start;
  std::vector<std::vector<double>> from;

  double of(const Flow& flow) const {
    double sum = 0;
    for (std::size_t u = 0; u < start.size(); ++u) {
      sum += start[u] * flow.start[u];
      for (std::size_t i = 0; i < from[u].size(); ++i) sum += from[u][i] * flow.from[u][i];
    }
    return sum;
  }
};

constexpr std::uint32_t kNoCall = 0xffffffff;

// `call_of` numbers the calls by unit, kNoCall on a CPU; `load` is that of each call.
Toll toll_of(const LoadModel& model, const std::vector<double>& passage,
             const std::vector<std::uint32_t>& call_of, const std::vector<double>& load) {
  Toll toll;
  for (std::size_t u = 0; u < model.unit_count(); ++u) {
    const std::uint32_t call = call_of[u];
    toll.start.push_back(call == kNoCall ? passage[u] : load[call]);
    std::vector<double>& from = toll.from.emplace_back();
    for (const std::uint32_t before : model.units[u].before)
      from.push_back(call != kNoCall && call_of[before] == call ? 0.0 : toll.start.back());
  }
  return toll;
}

Toll toll_of(const CallModel& model, const std::vector<double>& passage, const CallChain& chain) {
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
  return toll_of(model.loads, passage, call_of, loads);
}

// ---- the flow's side of the game ----

struct Reply {
  Flow flow;
  double value = 0;  // no flow does better against these splits
};

// max z  with  z <= toll_i(flow) for every split found.
std::optional<Reply> best_flow(const LoadModel& model, std::span<const Toll> tolls,
                               double unit_time, const Budget& budget) {
  const std::size_t n = model.unit_count();
  MilpModel program;
  const VariableId z = program.add_variable({.cost = -1});
  std::vector<VariableId> start;
  std::vector<std::vector<VariableId>> from(n);
  std::vector<Term> all;
  std::vector<std::vector<Term>> balance(n);
  for (std::size_t u = 0; u < n; ++u) {
    start.push_back(program.add_variable({.upper = 1}));
    all.push_back({start.back(), 1});
    balance[u].push_back({start.back(), 1});
    for (const std::uint32_t before : model.units[u].before) {
      from[u].push_back(program.add_variable({.upper = 1}));
      balance[u].push_back({from[u].back(), 1});
      balance[before].push_back({from[u].back(), -1});
    }
  }
  program.add_row(1, 1, all);
  for (const std::vector<Term>& row : balance) program.add_row(0, kNoLimit, row);
  for (const Toll& toll : tolls) {
    std::vector<Term> row{{z, -1}};
    for (std::size_t u = 0; u < n; ++u) {
      row.push_back({start[u], toll.start[u] / unit_time});
      for (std::size_t i = 0; i < from[u].size(); ++i)
        row.push_back({from[u][i], toll.from[u][i] / unit_time});
    }
    program.add_row(0, kNoLimit, row);
  }
  MilpOptions options;
  options.seconds = budget.seconds_left();
  options.stop = [&] { return budget.stopped(); };
  const MilpSolution solution = solve(program, options);
  if (solution.status != MilpStatus::kOptimal) return std::nullopt;
  Reply reply;
  reply.value = -solution.objective * unit_time;
  for (std::size_t u = 0; u < n; ++u) {
    reply.flow.start.push_back(solution.values[start[u]]);
    std::vector<double>& parts = reply.flow.from.emplace_back();
    for (const VariableId id : from[u]) parts.push_back(solution.values[id]);
  }
  reply.flow = made_valid(model, std::move(reply.flow));
  return reply;
}

// ---- the split's side ----

ChainCosts costs_under(const CallModel& model, const std::vector<double>& passage,
                       const Flow& flow) {
  ChainCosts costs;
  for (std::size_t u = 0; u < model.loads.unit_count(); ++u) {
    const double through = flow.into(u);
    double least = passage[u];
    for (const std::uint32_t c : model.accelerators)
      least = std::min(least, model.loads.units[u].time[c][0]);
    costs.cpu.push_back(passage[u] < kInfinity ? through * passage[u] : kInfinity);
    costs.least.push_back(least < kInfinity ? through * least : 0.0);
    costs.enter.push_back(through);
  }
  costs.from = flow.from;
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
  const Problem whole = with_whole_units(problem);
  const CallModel model(bound_model(whole),
                        static_cast<std::size_t>(std::max(1, problem.as<CallLatency>()->pieces)));
  if (model.states * (model.loads.unit_count() + 1) > options.most_bytes / 16) return result;
  const std::vector<double> passage = cpu_passages(whole, model.loads);
  const double unit_time = std::max(1e-9, result.score.value.count());

  std::vector<Toll> tolls;
  // With several pieces per accelerator the start's calls are not known by device; begin without.
  if (problem.as<CallLatency>()->pieces <= 1)
    tolls.push_back(toll_of(model, passage, chain_of(model, start)));
  std::optional<Flow> best_flow_so_far;
  double bound = 0;
  bool stuck = false;  // half a step taught nothing: take the whole
  for (result.rounds = 0; result.rounds < options.rounds && !budget.spent(); ++result.rounds) {
    Flow flow;
    if (!best_flow_so_far) {
      flow = spread_flow(model.loads, model.least_time);
    } else {
      const std::optional<Reply> reply = best_flow(model.loads, tolls, unit_time, budget);
      if (!reply || reply->value <= bound * (1 + 1e-9)) break;  // no flow does better: solved
      flow = stuck ? reply->flow : between(*best_flow_so_far, reply->flow);
    }
    double limit = kInfinity;
    for (const Toll& toll : tolls) limit = std::min(limit, toll.of(flow));
    const ChainSearch search = cheapest_chain(model, costs_under(model, passage, flow),
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
    if (result.score.value.count() <= bound * (1 + options.enough)) break;
  }
  return result;
}

}  // namespace berth
