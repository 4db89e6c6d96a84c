#include "tests/audit/judge.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "berth/search/bounds.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"

namespace berth::audit {
namespace {

bool above(double bound, double value) {
  return bound > value + kTolerance * std::abs(value) + 1e-9;
}

bool finds_replicas(const std::string& spec) { return spec.find("replicas=") != std::string::npos; }

// The set of placements that a statement's claims speak of.
struct Scope {
  bool contiguous = false;
  bool equal_replicas = false;  // as ideal-dp(replicas=3) looks for them
};

Scope scope_of(const Problem& problem, const Statement& statement) {
  return {statement.result.contiguous && !problem.model().contiguous(),
          finds_replicas(statement.spec)};
}

bool covers(const Scope& scope, const Problem& problem, const Statement& found) {
  const Placement& placement = *found.result.placement;
  if (scope.contiguous && !naive::forms_pipeline(problem, placement.device_of.items()))
    return false;
  if (placement.replicas.empty() || problem.model().bounds_count_replicas()) return true;
  return scope.equal_replicas && finds_replicas(found.spec);
}

// ---- one placement, simulated three times ----

void check_placement(const Problem& problem, const Placement& placement, const std::string& who,
                     Evaluator& evaluator, Verdict& verdict) {
  const Simulation simulation = simulate(problem, placement);
  const Score score = evaluator(placement);
  const double literal = naive::value(problem, placement);
  const auto differ = [](double a, double b) {
    return std::abs(a - b) > 1e-9 * std::max({a, b, 1.0});
  };
  if (score.value != simulation.value || differ(score.value.count(), literal))
    verdict.findings.push_back(
        {"value", fmt::format("{}: simulate {}, Evaluator {}, literal simulator {}", who,
                              simulation.value.count(), score.value.count(), literal)});
  const std::optional<std::string> broken = naive::broken(problem, placement);
  if (broken.has_value() != simulation.broken.has_value())
    verdict.findings.push_back(
        {"limit",
         fmt::format("{}: simulate says '{}', the literal check '{}'", who,
                     simulation.broken.value_or("feasible"), broken.value_or("feasible"))});
  if (!simulation.broken && !score.feasible())
    verdict.findings.push_back(
        {"limit", fmt::format("{}: simulate accepts what the Evaluator does not ({})", who,
                              score.overflow)});
  ++verdict.values;
}

// ---- brute force ----

struct Optimum {
  std::optional<double> any, contiguous;  // without replicas unless every bound counts them
};

std::optional<Optimum> enumerate(const Problem& problem, std::uint64_t most) {
  std::uint64_t size = 1;
  for (const UnitId unit : problem.units()) {
    std::uint64_t allowed = 0;
    for (const DeviceId device : problem.devices()) allowed += problem.unit_allows(unit, device);
    if ((size *= allowed) > most) return std::nullopt;
  }
  const bool ordered = orders_matter(problem), replicated = problem.model().bounds_count_replicas();
  if (ordered) {
    const std::size_t orders =
        all_orders(problem.graph(), std::min<std::uint64_t>(kMostOrders, most / size)).size();
    if (orders == 0 || size * (orders + 1) > most) return std::nullopt;
  }
  if (replicated && size * problem.device_count() * problem.device_count() > most)
    return std::nullopt;
  Optimum optimum;
  Evaluator evaluator(problem);
  const auto keep = [](std::optional<double>& best, double value) {
    best = std::min(best.value_or(value), value);
  };
  brute_force(
      problem,
      [&](const Placement& placement) -> std::optional<double> {
        const auto consider = [&](const Placement& each) {
          const Score score = evaluator(each);
          if (!score.feasible() || broken_rule(problem, each)) return;
          keep(optimum.any, score.value.count());
          if (problem.objective() == Objective::kThroughput &&
              naive::forms_pipeline(problem, each.device_of.items()))
            keep(optimum.contiguous, score.value.count());
        };
        if (replicated)
          for_every_replication(problem, placement, consider);
        else
          consider(placement);
        return std::nullopt;
      },
      ordered);
  return optimum;
}

void check_optimum(const Problem& problem, const Statement& statement, const Optimum& optimum,
                   Verdict& verdict) {
  const Result& result = statement.result;
  const Scope scope = scope_of(problem, statement);
  const std::optional<double>& best = scope.contiguous ? optimum.contiguous : optimum.any;
  const bool has_replicas = result.placement && !result.placement->replicas.empty();
  const bool beyond = has_replicas && !problem.model().bounds_count_replicas();
  const auto found = [&](const char* rule, const std::string& what) {
    verdict.findings.push_back({rule, fmt::format("{}: {}", statement.spec, what)});
  };
  if (!optimum.any && result.placement && !beyond)
    found("limit", "has a placement where brute force finds none that fits");
  if (optimum.any && result.placement && !beyond &&
      above(*optimum.any, result.simulation->value.count()))
    found("value", fmt::format("has {}, below the optimum {} of brute force",
                               result.simulation->value.count(), *optimum.any));
  if (!best) return;
  if (result.impossible)
    found("impossible", fmt::format("proves that nothing fits, but {} does", *best));
  if (result.lower_bound && above(result.lower_bound->count(), *best))
    found("bound", fmt::format("has the bound {}, above the optimum {} of brute force",
                               result.lower_bound->count(), *best));
  if (result.proven_optimal && !beyond && above(result.simulation->value.count(), *best))
    found("proof", fmt::format("proves {}, but the optimum of brute force is {}",
                               result.simulation->value.count(), *best));
}

// ---- claims against values ----

void check_pair(const Problem& problem, const Statement& claim, const Statement& found,
                Verdict& verdict) {
  const Scope scope = scope_of(problem, claim);
  if (!found.result.placement || !covers(scope, problem, found)) return;
  const double value = found.result.simulation->value.count();
  const auto add = [&](const char* rule, const std::string& what) {
    verdict.findings.push_back(
        {rule, fmt::format("{} {}, but {} has {}", claim.spec, what, found.spec, value)});
  };
  if (claim.result.impossible) add("impossible", "proves that nothing fits");
  if (claim.result.lower_bound && above(claim.result.lower_bound->count(), value))
    add("bound", fmt::format("has the bound {}", claim.result.lower_bound->count()));
  if (claim.result.proven_optimal && above(claim.result.simulation->value.count(), value))
    add("proof", fmt::format("proves {}", claim.result.simulation->value.count()));
}

}  // namespace

std::vector<std::string> specs_for(const Problem& problem, std::uint64_t number) {
  std::vector<std::string> specs;
  for (const PlacerEntry& entry : placers()) {
    if (entry.traits.needs_options) continue;
    if (entry.traits.growth == Growth::kTraining && number % 500 != 0) continue;  // seconds each
    const std::string name = entry.name;
    if (name == "throughput-ip")
      specs.emplace_back(number % 2 == 0
                             ? "throughput-ip(steps=100,rounds=2,nodes=300)"
                             : "throughput-ip(steps=1,rounds=1,nodes=300,tighten=false)");
    else if (name == "latency-ip")
      specs.emplace_back("latency-ip(nodes=500)");
    else if (name == "ideal-dp")
      specs.emplace_back("ideal-dp(memory_mb=4)");
    else
      specs.push_back(name);
  }
  if (problem.as<CallLatency>()) {
    specs.emplace_back("latency-ip(rounds=0,nodes=500)");  // the program without the flows
  } else if (problem.model().through_host()) {
    specs.emplace_back("ideal-dp(replicas=3,memory_mb=4)");
    specs.emplace_back("linear-dp(replicas=3)");
    specs.emplace_back("anneal(lns=true)");
  }
  return specs;
}

std::vector<Statement> ask(const Problem& problem, std::span<const std::string> specs,
                           const JudgeOptions& options, Verdict& verdict) {
  std::vector<Statement> statements;
  for (const std::string& spec : specs) {
    Budget budget({.seconds = std::nullopt, .evaluations = options.evaluations});
    try {
      statements.push_back({spec, run_placer(spec, problem, options.seed, budget)});
    } catch (const Error&) {
      continue;  // the method says that it cannot
    } catch (const std::exception& error) {
      verdict.findings.push_back({"crash", fmt::format("{}: {}", spec, error.what())});
      continue;
    }
    std::uint64_t& most = verdict.overrun[parse_spec(spec).name];
    most =
        std::max(most, budget.evaluations() - std::min(budget.evaluations(), options.evaluations));
  }
  return statements;
}

void judge(const Problem& problem, std::span<const Statement> statements,
           const JudgeOptions& options, Verdict& verdict) {
  Evaluator evaluator(problem);
  Rng rng = Rng(options.seed).split("placements");
  for (int i = 0; i < 3; ++i) {
    Placement placement = fixtures::random_placement(rng, problem);
    if (i == 2) placement.order = fixtures::random_order(rng, problem.graph());
    check_placement(problem, placement, "a random placement", evaluator, verdict);
  }
  const std::optional<Optimum> optimum = enumerate(problem, options.enumerations);
  verdict.enumerated = optimum.has_value();
  for (const Statement& statement : statements) {
    const Result& result = statement.result;
    verdict.claims += result.lower_bound.has_value() + result.impossible;
    verdict.proofs += result.proven_optimal;
    for (const Contradiction& contradiction : result.contradictions)
      verdict.findings.push_back(
          {"contradiction", fmt::format("{}: {}", statement.spec, contradiction.what)});
    if (result.placement) {
      check_placement(problem, *result.placement, statement.spec, evaluator, verdict);
      if (result.simulation->value != evaluator(*result.placement).value)
        verdict.findings.push_back(
            {"value", statement.spec + ": reports a value that is not its placement's"});
    }
    if (optimum) check_optimum(problem, statement, *optimum, verdict);
    for (const Statement& other : statements)
      if (&other != &statement) check_pair(problem, statement, other, verdict);
  }
}

Verdict audit(const Problem& problem, std::span<const std::string> specs,
              const JudgeOptions& options) {
  Verdict verdict;
  judge(problem, ask(problem, specs, options, verdict), options, verdict);
  return verdict;
}

}  // namespace berth::audit
