#include "berth/place/load/pipedream.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "berth/graph/biconnected.h"
#include "berth/graph/union_find.h"
#include "berth/place/load/linear_dp.h"
#include "berth/place/load/piece_chain.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

constexpr double kNoWork = 1e-3;      // microseconds: shorter times count as none, as in load_model
constexpr double kSmallTensor = 0.1;  // of the mean over units

using Groups = std::vector<std::vector<std::uint32_t>>;  // units that become one

// Of calls that have a latency, the loads.
Problem measured_by_load(const Problem &problem) {
  if (problem.objective() == Objective::kThroughput) return problem;
  return problem.with_model({MaxLoad{.route = Route::kHost}, problem.model().max_subgraphs});
}

bool is_idle(const LoadModel::Unit &unit) {
  return std::all_of(unit.time.begin(), unit.time.end(), [](const LoadModel::Halves &time) {
    return !std::isfinite(time[0] + time[1]) || time[0] + time[1] < kNoWork;
  });
}

// What the forward nodes of each unit send out, in microseconds.
std::vector<double> sent_by(const Problem &problem, const LoadModel &model) {
  const IdVector<TensorId, Duration> transfer = mean_transfers(problem);
  std::vector<double> sent;
  for (const LoadModel::Unit &unit : model.units) {
    sent.push_back(0);
    for (const NodeId node : unit.nodes)
      if (problem.graph().node(node).pass == Pass::kForward)
        for (const TensorId tensor : problem.graph().outputs(node))
          if (!problem.graph().consumers(tensor).empty()) sent.back() += transfer[tensor].count();
  }
  return sent;
}

// The forward order as undirected edges, tail first, without those that are no
// branches.
std::vector<std::pair<std::uint32_t, std::uint32_t>> branches(const Problem &problem,
                                                              const LoadModel &model) {
  const std::vector<double> sent = sent_by(problem, model);
  double total = 0, senders = 0;
  for (std::size_t u = 0; u < sent.size(); ++u) {
    if (model.units[u].after.empty()) continue;
    total += sent[u];
    ++senders;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t u = 0; u < model.unit_count(); ++u) {
    const LoadModel::Unit &unit = model.units[u];
    const bool hands_around = unit.after.size() > 1 && sent[u] < kSmallTensor * total / senders;
    if (is_idle(unit) && (unit.before.empty() || hands_around)) continue;
    for (const std::uint32_t next : unit.after) edges.emplace_back(u, next);
  }
  return edges;
}

bool can_share_a_device(const LoadModel &model, const std::vector<std::uint32_t> &group) {
  std::vector<std::uint32_t> apart;
  for (const std::uint32_t u : group)
    apart.insert(apart.end(), model.units[u].apart.begin(), model.units[u].apart.end());
  std::sort(apart.begin(), apart.end());
  if (std::adjacent_find(apart.begin(), apart.end()) != apart.end()) return false;
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    if (std::all_of(group.begin(), group.end(),
                    [&](std::uint32_t u) { return std::isfinite(model.units[u].time[c][0]); }))
      return true;
  return false;
}

// The tails of each component, joined where components share one.
void join_tails(const Problem &problem, const LoadModel &model, UnionFind &sets) {
  const auto edges = branches(problem, model);
  const std::vector<std::uint32_t> component = biconnected_components(model.unit_count(), edges);
  std::map<std::uint32_t, std::uint32_t> first_tail;
  for (std::size_t e = 0; e < edges.size(); ++e)
    sets.join(first_tail.try_emplace(component[e], edges[e].first).first->second, edges[e].first);
}

// What matters of a set of units that may hang on another one.
struct SetFacts {
  bool idle = true, apart = false;
  std::vector<bool> allowed;                 // by device class
  std::optional<std::uint32_t> neighbour{};  // one of them, by its first unit
  bool has_others = false;
};

std::vector<SetFacts> facts_of(const LoadModel &model, UnionFind &sets) {
  std::vector<SetFacts> facts(model.unit_count());
  for (SetFacts &fact : facts) fact.allowed.assign(model.classes.size(), true);
  for (std::uint32_t u = 0; u < model.unit_count(); ++u) {
    const LoadModel::Unit &unit = model.units[u];
    SetFacts &fact = facts[sets.find(u)];
    fact.idle = fact.idle && is_idle(unit);
    fact.apart = fact.apart || !unit.apart.empty();
    for (std::size_t c = 0; c < model.classes.size(); ++c)
      if (!std::isfinite(unit.time[c][0])) fact.allowed[c] = false;
    for (const auto *side : {&unit.before, &unit.after})
      for (const std::uint32_t other : *side) {
        const std::uint32_t set = sets.find(other);
        if (set == sets.find(u)) continue;
        if (fact.neighbour && *fact.neighbour != set) fact.has_others = true;
        fact.neighbour = set;
      }
  }
  return facts;
}

// Sets without work that hang on a single other one join it, to a fixed point:
// on the path they would only stand in the way. They may not narrow its choice
// of devices.
void join_dangling(const LoadModel &model, UnionFind &sets) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<SetFacts> facts = facts_of(model, sets);
    for (std::uint32_t u = 0; u < model.unit_count(); ++u) {
      const SetFacts &fact = facts[u];
      if (!fact.neighbour || fact.has_others || !fact.idle || fact.apart) continue;
      const std::vector<bool> &needed = facts[*fact.neighbour].allowed;
      bool narrows = false;
      for (std::size_t c = 0; c < needed.size(); ++c)
        narrows = narrows || (needed[c] && !fact.allowed[c]);
      if (narrows) continue;
      sets.join(u, *fact.neighbour);
      changed = true;
    }
  }
}

Groups sets_of_the_path(const Problem &problem, const LoadModel &model) {
  UnionFind sets(model.unit_count());
  join_tails(problem, model, sets);
  join_dangling(model, sets);
  Groups by_first(model.unit_count());
  for (std::uint32_t u = 0; u < model.unit_count(); ++u) by_first[sets.find(u)].push_back(u);
  std::erase_if(by_first, [](const std::vector<std::uint32_t> &group) { return group.size() < 2; });
  return by_first;
}

// The problem in which every group is tied together.
Problem tied(const Problem &problem, const LoadModel &model, const Groups &groups) {
  Constraints constraints = problem.constraints();
  for (const std::vector<std::uint32_t> &group : groups) {
    std::vector<NodeId> nodes;
    for (const std::uint32_t u : group) nodes.push_back(model.units[u].nodes.front());
    constraints.together.push_back(std::move(nodes));
  }
  return problem.with_constraints(std::move(constraints));
}

}  // namespace

void pipedream(const Context &context, const NoOptions &) {
  const Problem problem = measured_by_load(context.problem);
  const LoadModel units = load_model(problem, {.merge_trivial = false});
  const Groups groups = sets_of_the_path(problem, units);
  for (const std::vector<std::uint32_t> &group : groups)
    if (!can_share_a_device(units, group))
      return context.incumbent.fail(fmt::format(
          "pipedream keeps the branches around node '{}' on one device, and none may run them all",
          problem.graph().node(units.units[group.front()].nodes.front()).name));
  const LoadModel path = load_model(tied(problem, units, groups));
  if (const std::optional<std::string> why = why_too_many_states(path))
    return context.incumbent.fail(*why);
  if (const auto split = best_linear_split(path, 1, context.budget, context.rng))
    context.incumbent.suggest(placement_of(problem, path, *split));
  else
    context.incumbent.fail("no cut of the path of components fits memory and constraints");
}

}  // namespace berth
