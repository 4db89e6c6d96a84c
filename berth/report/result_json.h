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
#pragma once

#include <span>
#include <string>

#include "berth/place/run_placer.h"
#include "berth/problem.h"

namespace berth {

std::string write_result(const Result& result, const Problem& problem, const std::string& input,
                         bool with_placement = true);

// One row of `berth compare`. The pointers are borrowed.
struct ResultRow {
  const Result* result;
  const Problem* problem;
  std::string input;
};

// {"rows": [records]}
std::string write_rows(std::span<const ResultRow> rows, bool with_placements = false);

}  // namespace berth
