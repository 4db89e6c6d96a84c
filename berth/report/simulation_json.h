// A simulated placement as JSON, with the explanation of a node where one was asked for: what
// `berth simulate --json` prints. docs/cli.md lists the fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/report/explain.h"
#include "berth/sim/evaluate.h"

namespace berth {

std::string write_simulation(const std::string& input, const Problem& problem,
                             const Placement& placement, const Simulation& simulation,
                             const std::optional<Explanation>& explanation,
                             const std::vector<std::string>& warnings);

}  // namespace berth
