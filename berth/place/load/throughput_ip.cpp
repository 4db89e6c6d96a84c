#include "berth/place/load/throughput_ip.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>

#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/place/load/chain_program.h"
#include "berth/place/load/large_neighbourhood.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/search/bounds.h"
#include "berth/solvers/milp_check.h"

namespace berth {
namespace {

constexpr double kHair = 5e-7;        // what is taken off bounds, against the solver's tolerances
constexpr double kWithin = 1 + 1e-4;  // limits leave room for what is known (milp_check.h)
constexpr std::uint64_t kQuickNodes = 50;
constexpr double kPriceShare = 0.25;                // of the time of the thread beside the program
constexpr double kSearchShare = 0.65;               // of the rest of it
constexpr double kFirstValley = 0.5;                // of that, around the first placement
constexpr double kRestartSteps = 1e4;               // of annealing, for each unit
constexpr int kRestartRounds = 60;                  // of neighbourhoods around each
constexpr int kFewRounds = 10, kManyRounds = 1000;  // of prices
constexpr double kProgramValue = 1000;  // of the best known value: tolerances are absolute

// A step with a share of the time left.
template <class Step>
auto with_share(Budget& budget, double fraction, Step step) {
  Budget part = budget.share(fraction);
  return step(part);
}

// Who says so, where claims meet (incumbent.h).
constexpr const char* kPrices = "throughput-ip (prices)";
constexpr const char* kProgram = "throughput-ip (program)";

// Seeds and annealing. Returns the seeds.
std::vector<Seed> find_first(const Context& context, const LoadModel& model,
                             const ThroughputIpOptions& options) {
  const Problem& problem = context.problem;
  Incumbent& best = context.incumbent;
  std::vector<std::string> specs{"linear-dp"};
  if (!problem.model().contiguous()) specs.insert(specs.end(), {"scotch", "greedy"});
  std::vector<Seed> seeds =
      collect_seeds(specs, Context(problem, best, context.budget, context.rng.split("seeds")));
  if (seeds.empty() || best.closed()) return seeds;
  AnnealingOptions anneal{.steps = options.steps, .threads = options.threads};
  Budget part = context.budget.share(0.15);
  if (!(options.steps > 0))
    anneal.steps = (part.limits().seconds ? 3e4 : 2e3) * static_cast<double>(model.unit_count());
  best.offer(anneal_from(problem, seeds, best.bound(), anneal, part, context.rng.split("anneal")),
             "anneal", "anneal");
  return seeds;
}

using NodeLimit = std::optional<std::uint64_t>;

// A node of the tree counts as an evaluation.
NodeLimit nodes_left(const Budget& budget, NodeLimit nodes) {
  const NodeLimit rest = budget.evaluations_left();
  if (!rest) return nodes;
  return std::min(nodes.value_or(*rest), *rest);
}

// A program, the way back from its solutions, and the integers of a known one.
struct WholeProgram {
  MilpModel milp;
  std::function<Placement(std::span<const double>)> read;
  std::vector<double> start{};
  bool impossible = false;
};

WholeProgram whole_program(const Problem& problem, const LoadModel& model, double limit,
                           double scale, std::vector<PieceRow> forced,
                           const std::optional<Placement>& known) {
  WholeProgram result;
  const SlotOfUnit slot_of = known ? slots_of_placement(model, *known) : SlotOfUnit{};
  if (problem.model().contiguous()) {
    auto chain = std::make_shared<const ChainProgram>(chain_program(model, limit, scale));
    result.milp = chain->milp;
    result.read = [&problem, &model, chain](std::span<const double> values) {
      return placement_of_slots(problem, model, chain->read(model, values));
    };
    if (known) result.start = chain->start(model, slot_of);
    return result;
  }
  auto program = std::make_shared<const LoadProgram>(load_program(
      model, {.limit = limit, .open_top = true, .scale = scale, .forced = std::move(forced)}));
  result.milp = program->milp;
  result.read = [&problem, &model, program](std::span<const double> values) {
    return placement_of_slots(problem, model, program->read(values));
  };
  if (known) result.start = program->start(program->renamed(model, slot_of));
  result.impossible = program->impossible;
  return result;
}

// The known solution has the objective `known`.
CheckedSolution solve_whole(const WholeProgram& program, const MilpOptions& how,
                            std::optional<double> known) {
  if (!program.impossible) return solve_checked(program.milp, how, known);
  CheckedSolution none;
  if (known)
    none.contradiction = "the program has no place for a unit of a placement that exists";
  else
    none.solution.status = MilpStatus::kInfeasible;
  return none;
}

// What all steps work on.
struct Search {
  const Problem& problem;
  const LoadModel& model;
  const ThroughputIpOptions& options;
  Incumbent& best;
  const Rng& rng;
  std::vector<Seed> seeds{};
};

// The rows of the best prices so far, from one thread to the other.
class PriceBoard {
 public:
  void post(std::vector<PieceRow> rows, double bound) {
    const std::lock_guard lock(mutex_);
    rows_ = std::move(rows);
    bound_ = bound;
  }
  // Whether a program with these rows starts well above what one without them has reached.
  bool promises_more_than(double bound) const {
    const std::lock_guard lock(mutex_);
    return !rows_.empty() && bound_ > bound * (1 + kWorthANewTree);
  }
  std::vector<PieceRow> rows() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

 private:
  static constexpr double kWorthANewTree = 2e-3;
  mutable std::mutex mutex_;
  std::vector<PieceRow> rows_;
  double bound_ = 0;
};

// Rows and a bound from prices of pieces.
std::vector<PieceRow> priced_rows(const Search& search, int rounds, Budget& budget,
                                  PriceMemory& memory, PriceBoard* board = nullptr) {
  const std::optional<Placement> placement = search.best.placement();
  if (!search.options.tighten || search.problem.model().contiguous() || !placement) return {};
  const double limit = search.best.value().count() * kWithin;
  const PiecePrices cuts = price_pieces(
      search.model, limit, {slots_of_placement(search.model, *placement)}, rounds, budget,
      [&](double bound) {
        search.best.raise_bound(Duration{bound * (1 - kHair / 5)}, kPrices, "prices");
      },
      &memory);
  if (board != nullptr) board->post(cuts.rows, cuts.bound);
  return cuts.rows;
}

// The value of a placement as the program sees it: the simulator's where loads are its own.
double modelled(const LoadModel& model, const Placement& placement, double simulated) {
  return model.exact ? simulated : value_of_slots(model, slots_of_placement(model, placement));
}

// The whole program with what is known as its first solution: better placements, and the bound.
// Ends early when better rows are on the board. False when nothing at all fits.
bool prove(const Search& search, std::vector<PieceRow> rows, NodeLimit nodes, Budget& budget,
           const PriceBoard* board = nullptr) {
  if (budget.spent()) return true;
  const char* const phase = "branch and bound";
  Incumbent& best = search.best;
  const std::optional<Placement> known = best.placement();
  // Not best.value(): another thread may have found more meanwhile.
  const double value =
      known ? Evaluator(search.problem)(*known).value.count() : best.bound().count();
  const double limit = known ? value * kWithin : kNoLimit;
  const double scale = std::max(value, 1e-9) / kProgramValue;
  const WholeProgram program =
      whole_program(search.problem, search.model, limit, scale, std::move(rows), known);
  double own_bound = 0;
  const auto raise = [&](double bound) {
    own_bound = bound * scale * (1 - kHair);
    best.raise_bound(Duration{own_bound}, kProgram, phase);
  };
  const MilpOptions how{
      .seconds = budget.seconds_left(),
      .nodes = nodes_left(budget, nodes),
      .relative_gap = kHair / 5,
      .tolerance = 1e-8,  // times kProgramValue it must stay well below a hair
      .plain = !search.options.presolve,
      .start = program.start,
      .stop =
          [&] {
            return budget.spent() || best.closed() ||
                   (board != nullptr && board->promises_more_than(own_bound));
          },
      .progress = [&](const MilpProgress& progress) { raise(progress.bound.value_or(0)); },
      .improved = [&](std::span<const double> values,
                      double) { best.offer(program.read(values), kProgram, phase); }};
  const CheckedSolution checked = solve_whole(
      program, how,
      known ? std::optional(modelled(search.model, *known, value) / scale) : std::nullopt);
  const MilpSolution& solution = checked.solution;
  budget.count(solution.nodes);
  if (solution.has_values()) best.offer(program.read(solution.values.items()), kProgram, phase);
  if (checked.dispute) best.note(fmt::format("{}: {}", kProgram, *checked.dispute));
  if (checked.contradiction)
    best.refute({{kProgram, kProgram, fmt::format("{}: {}", kProgram, *checked.contradiction)}});
  else if (std::isfinite(solution.bound))
    raise(solution.bound);
  return known || solution.status != MilpStatus::kInfeasible;
}

// Neighbourhoods of a placement, as long as they help.
void search_around(const Search& search, const Placement& placement,
                   const LargeNeighbourhoodOptions& options, Budget& budget, Rng rng) {
  large_neighbourhood_search(search.model, slots_of_placement(search.model, placement), options,
                             budget, rng, [&](const SlotOfUnit& slot_of) {
                               search.best.offer(
                                   placement_of_slots(search.problem, search.model, slot_of),
                                   "neighbourhoods", "neighbourhoods");
                             });
}

// Neighbourhoods of the best placement. Under a time limit also of others: the seeds annealed anew,
// hotter each time, because the first may lie in a valley whose floor is not the lowest. Loads must
// be the problem's own.
void search_neighbourhoods(const Search& search, Budget& budget) {
  const std::optional<Placement> placement = search.best.placement();
  if (search.problem.model().contiguous() || !search.model.exact || !placement) return;
  const bool timed = budget.limits().seconds.has_value();
  const Rng rng = search.rng.split("neighbourhoods");
  const LargeNeighbourhoodOptions thorough{.rounds = timed ? 0 : search.options.rounds,
                                           .floor = search.best.bound().count()};
  if (!timed) return search_around(search, *placement, thorough, budget, rng);
  with_share(budget, kFirstValley,
             [&](Budget& part) { search_around(search, *placement, thorough, part, rng); });
  const double steps = kRestartSteps * static_cast<double>(search.model.unit_count());
  for (std::uint64_t restart = 1; !budget.spent() && !search.best.closed(); ++restart) {
    const Rng stream = rng.split(restart);
    const AnnealingOptions anneal{.chains = 1,
                                  .rounds = 1,
                                  .steps = steps,
                                  .hot = 0.02 * static_cast<double>(1 + restart % 4),
                                  .threads = 1};
    const Placement other = with_share(budget, 0.5, [&](Budget& part) {
      return anneal_from(search.problem, search.seeds, search.best.bound(), anneal, part, stream);
    });
    if (!search.best.offer(other, "anneal", "anneal").score.feasible()) return;
    const LargeNeighbourhoodOptions quick{
        .rounds = kRestartRounds, .seconds = 3, .floor = search.best.bound().count()};
    search_around(search, other, quick, budget, stream.split("around"));
  }
}

// One step after the other: without a time limit, the same each time.
bool in_turn(const Search& search, Budget& budget) {
  with_share(budget, 0.35, [&](Budget& part) { search_neighbourhoods(search, part); });
  if (search.best.closed()) return true;
  PriceMemory memory;
  std::vector<PieceRow> rows = with_share(budget, 0.4, [&](Budget& part) {
    return priced_rows(search, part.limits().seconds ? kManyRounds : kFewRounds, part, memory);
  });
  if (search.best.closed()) return true;
  NodeLimit nodes;
  if (!budget.limits().seconds && search.options.nodes > 0)
    nodes = static_cast<std::uint64_t>(search.options.nodes);
  return prove(search, std::move(rows), nodes, budget);
}

// The whole program on one core; prices, neighbourhoods, then prices again on another. The program
// starts anew once, when the first prices have rows that put it well above where it is.
bool side_by_side(const Search& search, Budget& budget) {
  PriceMemory memory;
  std::vector<PieceRow> rows = with_share(budget, 0.05, [&](Budget& part) {
    return priced_rows(search, kFewRounds / 5, part, memory);
  });
  std::atomic<bool> over{false};
  Budget there = budget.part({});
  there.also_stop_at(over);
  bool fits = true;
  PriceBoard board;
  const auto program = [&] {
    Budget here = budget.part({});
    fits = prove(search, std::move(rows), std::nullopt, here, &board);
    if (fits && !search.best.closed() && !here.spent())
      fits = prove(search, board.rows(), std::nullopt, here);
    over = search.best.closed();
  };
  const auto beside_it = [&] {
    with_share(there, kPriceShare,
               [&](Budget& part) { priced_rows(search, kManyRounds, part, memory, &board); });
    with_share(there, kSearchShare, [&](Budget& part) { search_neighbourhoods(search, part); });
    while (!there.spent() && !search.best.closed()) {
      const Duration before = search.best.bound();
      priced_rows(search, kManyRounds, there, memory);
      if (!(search.best.bound() > before)) break;
    }
  };
  on_threads(2, [&](std::size_t worker) { worker == 0 ? program() : beside_it(); });
  return fits;
}

}  // namespace

void throughput_ip(const Context& context, const ThroughputIpOptions& options) {
  const Problem& problem = context.problem;
  Budget& budget = context.budget;
  Incumbent& best = context.incumbent;
  if (!milp_available())
    return best.fail(
        "throughput-ip needs an integer-program solver (HiGHS), which this build lacks");
  best.raise_bound(lower_bound(problem).value, "bounds");
  const LoadModel model = load_model(problem, {.ordered = problem.model().contiguous()});
  const Search search{problem, model,       options,
                      best,    context.rng, find_first(context, model, options)};
  bool fits = best.closed();
  // A quick try: small problems need no search.
  if (!fits)
    fits = with_share(budget, 0.08,
                      [&](Budget& part) { return prove(search, {}, kQuickNodes, part); });
  if (fits && !best.closed() && !budget.spent()) {
    const bool two_threads = thread_count(options.threads) > 1;
    fits = budget.limits().seconds && two_threads && best.placement() ? side_by_side(search, budget)
                                                                      : in_turn(search, budget);
  }
  if (best.closed()) best.prove();
  if (!fits) return best.prove_impossible("no placement fits memory and constraints");
  best.fail("the search ended before a placement that fits was found");
}

}  // namespace berth
