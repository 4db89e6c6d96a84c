// A lower bound on one-sample latency in the call model that counts forced cuts, and better splits.
//
// Problem. A path through the graph waits for every call it passes in full: with P a path, S the
// calls it meets (each once, calls being convex) and the rest of it on CPUs,
//   T  >=  len_P(split)  =  sum of load(S) over calls met  +  sum of p_cpu(v) over CPU nodes of P.
// Calls are forced by memory, and each costs its whole load, transfers included; a bound by the
// longest path alone (bounds.h) sees neither.
//
// Method. Let paths be drawn at random: a flow f of one unit through the graph. The mean length is
//   len_f(split) = sum over calls of load(S) f(into S)  +  sum over CPU nodes of p_cpu(v) f(v)
// where f(into S) is the flow that enters S. It adds up along a chain of ideals, so its minimum
// over ALL splits is found exactly by dynamic programming (call_chain.h), and
//   T*  >=  max over flows f  min over splits  len_f(split).
// A game between flow and split, solved by cutting planes: a linear program finds the flow that is
// best against the splits found so far, the dynamic program finds the best split against that flow.
// Each round gives a valid bound, and a split worth judging by its true latency. Flows are taken
// half way between the best so far and the program's, which tames its jumps.
//
// Units that no call can lie inside of are kept whole, others are taken apart (whole_units.h), which
// relaxes the problem, as does forgetting CPU memory. With q pieces per accelerator there are q
// times the calls. Cost: per round one dynamic program over ideals; its memory is limited.
#pragma once

#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct LatencyBoundOptions {
  int rounds = 200;
  std::size_t most_bytes = std::size_t{1} << 30;  // for the table of ideals
};

struct LatencyBound {
  std::optional<Duration> value;  // no placement has less; empty: the ideals do not fit
  Placement best;                 // the start or a better one
  Score score;
  int rounds = 0;
  std::size_t ideals = 0;  // of the largest round
};

// The problem is of the call model with the objective latency, and the start is feasible.
LatencyBound latency_bound(const Problem& problem, const Placement& start,
                           const LatencyBoundOptions& options, Budget& budget);

}  // namespace berth
