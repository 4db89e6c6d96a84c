#include "berth/place/block/block_dp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/base/parallel.h"
#include "berth/place/block/chain.h"
#include "berth/place/list/peft.h"

namespace berth {
namespace {

constexpr double kRounding = 1 - 1e-12;       // sums were rounded, a bound must not be
constexpr std::size_t kMostBlockNodes = 400;  // beyond: path and work bound it, nothing is searched

// Narrow searches of every pair, then wider ones where shortest paths lead.
class BlockSearches {
 public:
  BlockSearches(const Context& context, const BlockDpOptions& options)
      : context_(context),
        threads_(thread_count(options.threads)),
        most_width_(static_cast<std::size_t>(std::max(options.width, 1))) {}

  void run(Chain& chain) {
    tell(chain);
    if (context_.incumbent.closed(kSettled)) return;
    chain.search(chain.all_jobs(kMostBlockNodes), most_width_, threads_, context_.budget);
    while (true) {
      const std::array paths = tell(chain);
      if (context_.incumbent.closed(kSettled) || context_.budget.out_of_time()) return;
      const double best = std::min(paths[1].length, context_.incumbent.value().count());
      const std::vector<Chain::Job> jobs =
          chain.open_jobs(paths, best, most_width_, kMostBlockNodes);
      if (jobs.empty()) return;
      chain.search(jobs, most_width_, threads_, context_.budget);
    }
  }

 private:
  // What the chain knows, to the incumbent; its shortest paths by lower and by upper sides.
  std::array<Chain::Path, 2> tell(const Chain& chain) {
    std::array paths{chain.shortest(Chain::Side::kLower), chain.shortest(Chain::Side::kUpper)};
    if (std::isfinite(paths[0].length))
      context_.incumbent.raise_bound(Duration{paths[0].length * kRounding});
    if (chain.exact() && paths[1].length < offered_) {
      offered_ = paths[1].length;
      context_.incumbent.suggest(chain.placement(paths[1]));
    }
    return paths;
  }

  const Context& context_;
  std::size_t threads_, most_width_;
  double offered_ = kForever.count();
};

}  // namespace

void block_dp(const Context& context, const BlockDpOptions& options) {
  peft(context, {});  // something to be better than
  BlockSearches searches(context, options);
  const std::vector<Separators> separators = separator_chains(context.problem.graph());
  Chain exact(context.problem, separators.front());
  searches.run(exact);
  // What is left out elsewhere is no loss where the bound is better all the same.
  std::optional<Chain> best;
  double bound = exact.shortest(Chain::Side::kLower).length;
  for (std::size_t i = 1; i < separators.size() && !context.budget.out_of_time(); ++i) {
    if (context.incumbent.closed(kSettled)) return;
    Chain chain(context.problem, separators[i]);
    if (const double lower = chain.shortest(Chain::Side::kLower).length; lower > bound) {
      bound = lower;
      best = std::move(chain);
    }
  }
  if (best) searches.run(*best);
}

}  // namespace berth
