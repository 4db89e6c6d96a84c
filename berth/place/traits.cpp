#include "berth/place/traits.h"

namespace berth {
namespace {

constexpr std::size_t kSomeThousand = 20000;  // nodes and edges

}  // namespace

ProblemKinds kind_of(const Problem& problem) {
  const bool contiguous = problem.model().contiguous();
  if (problem.as<Concurrent>()) return kConcurrentRuns;
  if (problem.as<Sequential>()) return kSequentialRuns;
  if (problem.as<CallLatency>()) return kCallRuns;
  if (problem.as<MaxLoad>() && problem.model().through_host())
    return contiguous ? kContiguousCallLoads : kCallLoads;
  if (problem.as<MaxLoad>()) return contiguous ? kContiguousPipelineLoads : kPipelineLoads;
  if (problem.objective() == Objective::kLatency) return kPieceRuns;
  return contiguous ? kContiguousPieceLoads : kPieceLoads;
}

bool is_seed(const Traits& traits, const Problem& problem) {
  const std::size_t size = problem.node_count() + problem.graph().edge_count();
  const ProblemKinds kinds = traits.seeds + (size < kSomeThousand ? traits.small_seeds : 0);
  return (kinds & kind_of(problem)) != 0;
}

}  // namespace berth
