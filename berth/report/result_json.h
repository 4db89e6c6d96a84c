// Results as JSON: the record that `--json` prints and `place -o` writes.
//
//   {"berth": "0.1.0", "input": ..., "method": ..., "spec": ..., "objective": ...,
//    "execution": ...,
//    "feasible": ..., "value_ms": ..., "lower_bound_ms": ..., "gap": ..., "proven_optimal": ...,
//    "seconds": ..., "evaluations": ..., "seed": ..., "devices": [{"name", "load_ms",
//    "peak_bytes"}], "warnings": [...], "reason": ..., "crossings": ..., "crossing_bytes": ...,
//    "subgraphs": ..., "order": [...], "placement": {node: device}}
//
// Without a placement "feasible" is false, "value_ms" null, "placement" null, and "reason" says
// why. "order" is there only when the placement has one.
//
// A simulated placement, as `simulate --json` prints it, tells more of one; docs/cli.md has both.
#pragma once

#include "berth/report/comparison.h"
#include "berth/report/explain.h"

namespace berth {

std::string write_result(const Result& result, const Problem& problem, const std::string& input);

// {"rows": [records]}, of `berth compare`.
std::string write_rows(std::span<const ComparisonRow> rows, bool with_placements = false);

// With the explanation of a node where one was asked for.
std::string write_simulation(const std::string& input, const Problem& problem,
                             const Placement& placement, const Simulation& simulation,
                             const std::optional<Explanation>& explanation,
                             const std::vector<std::string>& warnings);

}  // namespace berth
