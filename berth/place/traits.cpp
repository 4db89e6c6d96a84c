#include "berth/place/traits.h"

#include <fmt/format.h>

#include "berth/base/listed.h"

namespace berth {
namespace {

constexpr std::size_t kSomeThousand = 20000;  // nodes and edges

// One overload per model.
struct KindOf {
  ProblemKinds operator()(const Concurrent&) const { return kConcurrentRuns; }
  ProblemKinds operator()(const Sequential&) const { return kSequentialRuns; }
  ProblemKinds operator()(const CallLatency&) const { return kCallRuns; }
  ProblemKinds operator()(const MaxLoad& model) const {
    if (model.route == Route::kHost) return model.contiguous ? kContiguousCallLoads : kCallLoads;
    return model.contiguous ? kContiguousPipelineLoads : kPipelineLoads;
  }
  ProblemKinds operator()(const InPieces& model) const {
    if (model.objective == Objective::kLatency) return kPieceRuns;
    return model.contiguous ? kContiguousPieceLoads : kPieceLoads;
  }
};

}  // namespace

ProblemKinds kind_of(const ExecutionModel& model) { return std::visit(KindOf{}, model.execution); }

std::optional<std::string> why_not_served(const char* method, const Traits& traits,
                                          const Problem& problem) {
  if (is_of_kind(problem, traits.serves)) return std::nullopt;
  std::vector<std::string> served;
  for (const NamedExecution& named : named_executions())
    if ((traits.serves & kind_of(named.model)) != 0) served.push_back(described(named.model));
  return fmt::format("{} is for {}, not for {}", method, listed_or(served),
                     described(problem.model()));
}

bool is_seed(const Traits& traits, const Problem& problem) {
  const std::size_t size = problem.node_count() + problem.graph().edge_count();
  const ProblemKinds kinds = traits.seeds + (size < kSomeThousand ? traits.small_seeds : 0);
  return is_of_kind(problem, kinds);
}

}  // namespace berth
