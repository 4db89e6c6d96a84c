#include "berth/place/load/ideal_dp.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/place/load/ideal_search.h"
#include "berth/place/load/linear_dp.h"

namespace berth {
namespace {

using Verdict = IdealSearch::Verdict;
constexpr std::uint64_t kQuickPairs = 4'000'000;  // a tenth of a second
constexpr std::uint64_t kMostPairs = 20'000'000;  // a step of a search that may never end

struct Proof {
  std::optional<PieceChain> best{};
  double value = kInfinity;
  double bound = 0;     // nothing contiguous is below
  bool proven = false;  // nothing contiguous is better than `value`
};

// The searches of one problem, each with its limit.
class Minimiser {
 public:
  // `countable`: all ideals fit the memory, so that every search comes to its end.
  Minimiser(const LoadModel& model, std::optional<PieceChain> start, std::size_t most_bytes,
            unsigned threads, bool countable, Budget& budget)
      : model_(model),
        most_bytes_(most_bytes),
        threads_(threads),
        countable_(countable),
        budget_(budget) {
    proof_.best = std::move(start);
    if (proof_.best) proof_.value = value_of(model, *proof_.best).value();
    proof_.bound = work_floor(model, 0);
    if (model.halves_apart) proof_.bound += work_floor(model, 1);
  }

  Proof run() {
    if (model_.halves_apart)
      lower_both_halves();
    else
      raise_limit();
    if (proof_.proven) proof_.bound = proof_.value;
    return std::move(proof_);
  }

 private:
  IdealSearch search(const LoadModel::Halves& limit, std::uint64_t most_pairs) {
    if (most_pairs == 0 && !countable_) most_pairs = kMostPairs;
    IdealSearch found = search_ideals(
        model_, order_,
        {.load = limit, .bytes = most_bytes_, .pairs = most_pairs, .threads = threads_}, budget_);
    budget_.count();
    pairs_ = found.pairs;
    if (found.best) keep_if_better(*found.best);
    return found;
  }
  void keep_if_better(const PieceChain& chain) {
    const double value = value_of(model_, chain).value();
    if (!(value < proof_.value)) return;
    proof_.best = chain;
    proof_.value = value;
    report();
  }
  void report() const {
    Progress progress{.phase = "ideals", .bound = Duration{proof_.bound}};
    if (proof_.best) progress.best = Duration{proof_.value};
    budget_.report(progress);
  }

  // The first limit with a split below it has the optimum below it. The cost of a search grows
  // steeply with the slack of its limit, so limits rise from the floor in steps that let the cost
  // about double, unless the last is cheap.
  void raise_limit() {
    constexpr double kGrowth = 2.5, kFirstPart = 1.0 / 256;
    const double floor = proof_.bound, top = proof_.value;
    if (top <= floor * (1 + 1e-12)) {
      proof_.proven = true;
      return;
    }
    settle(top * kJustBelow, std::isfinite(top) ? kQuickPairs : 0);
    if (proof_.proven || !std::isfinite(top)) return;
    double slack = kFirstPart * (top - floor), ratio = 2, pairs_before = 0;
    while (!budget_.spent()) {
      const double limit = std::min(floor + slack, top * kJustBelow);
      if (settle(limit, 0) != Verdict::kImpossible || proof_.proven) return;
      if (pairs_before > 0) {
        const double grown = std::max(1.1, static_cast<double>(pairs_) / pairs_before);
        ratio = std::clamp(std::pow(ratio, std::log(kGrowth) / std::log(grown)), 1.05, 2.0);
      }
      pairs_before = static_cast<double>(pairs_) + 1;
      slack *= ratio;
    }
  }
  Verdict settle(double limit, std::uint64_t most_pairs) {
    const Verdict verdict = search({limit, kInfinity}, most_pairs).verdict;
    if (verdict == Verdict::kImpossible) {
      proof_.bound = std::max(proof_.bound, std::min(limit, proof_.value));
      proof_.proven = limit >= proof_.value * kJustBelow;
      report();
    }
    if (verdict == Verdict::kFound) proof_.proven = true;
    return verdict;
  }

  // GPipe: the smallest backward maximum under each of a falling sequence of forward limits. A
  // split between two of them has at least the backward maximum of the first, so each is a Pareto
  // point.
  void lower_both_halves() {
    const double forward_floor = work_floor(model_, 0);
    for (double forward = kInfinity;;) {
      const double backward = (proof_.value - forward_floor) * kJustBelow;
      const IdealSearch found = search({forward, backward}, 0);
      if (found.verdict == Verdict::kImpossible) proof_.proven = true;
      if (found.verdict != Verdict::kFound) return;
      forward = value_of(model_, *found.best).largest[0] * kJustBelow;
    }
  }

  const LoadModel& model_;
  UnitOrder order_ = unit_order(model_);
  std::size_t most_bytes_;
  unsigned threads_;
  bool countable_;
  Budget& budget_;
  Proof proof_;
  std::uint64_t pairs_ = 0;  // of the last search
};

}  // namespace

void ideal_dp(const Context& context, const IdealDpOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  const LoadModel model =
      with_replicas(load_model(problem, {.servers = true}), problem, options.replicas);
  if (const std::optional<std::string> why = why_too_many_states(model))
    return context.incumbent.fail(*why);
  Incumbent& incumbent = context.incumbent;
  incumbent.only_contiguous();
  const std::size_t most_bytes = static_cast<std::size_t>(std::max(1, options.memory_mb)) << 20;
  const std::size_t most_ideals = most_bytes / bytes_per_ideal(model);
  const std::optional<std::uint64_t> ideals = count_ideals(unit_order(model), most_ideals);
  const auto threads = static_cast<unsigned>(thread_count(options.threads));
  const Proof proof =
      Minimiser(model,
                best_linear_split(model, options.orders, budget, context.rng.split("orders")),
                most_bytes, threads, ideals.has_value(), budget)
          .run();
  if (proof.best) incumbent.suggest(placement_of(problem, model, *proof.best));
  if (proof.proven && !proof.best) {
    const char* const nothing = "no contiguous split fits memory and constraints";
    return model.exact ? incumbent.prove_impossible(nothing) : incumbent.fail(nothing);
  }
  incumbent.raise_bound(Duration{proof.bound});
  if (proof.proven && model.exact) incumbent.prove();
  if (proof.proven) return;
  if (!proof.best) incumbent.fail("the search ended before a split that fits was found");
  incumbent.note(
      ideals
          ? fmt::format("ideal-dp stopped before all of {} ideals were done: the split is the best "
                        "found so far, not proven optimal",
                        *ideals)
          : fmt::format(
                "more than {} ideals, which memory_mb={} cannot hold: the split is the best "
                "of {} linear orders, not proven optimal",
                most_ideals, options.memory_mb, options.orders));
}

}  // namespace berth
