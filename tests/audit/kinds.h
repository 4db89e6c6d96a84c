// Random problems of every kind that berth can express, drawn for the audit.
//
// A base of the kind (fixtures::random_problem) is decorated with what makes claims go wrong:
// groups whose quotient has cycles, memory limits at the very edge of what some placement needs,
// equal devices, times of zero, servers, limits on subgraphs, several pieces. Small enough that
// brute force can enumerate most of them; one in ten is larger, for claims against claims.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "berth/base/random.h"
#include "berth/problem.h"
#include "tests/support/fixtures.h"

namespace berth::audit {

struct Kind {
  const char* name;
  fixtures::ExecutionKind execution;
  Objective objective;
  bool colour_cycles = false;  // accelerators of dnn-partitioning, and groups that form a cycle
};

std::span<const Kind> kinds();
// Throws std::out_of_range for an unknown name.
const Kind& find_kind(const std::string& name);

// The same number gives the same problem.
Problem draw(const Kind& kind, std::uint64_t number);

}  // namespace berth::audit
