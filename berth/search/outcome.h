// What a search says at its end: a placement or why there is none, a bound, who found and who
// proved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/units.h"
#include "berth/placement.h"

namespace berth {

// Named numbers, in the order in which they are shown: ("reward", -0.1), ("entropy", 0.7).
using Metrics = std::vector<std::pair<std::string, double>>;

// One update of a learned method.
struct CurvePoint {
  int update = 0;
  std::uint64_t evaluations = 0;  // so far
  Duration best{0};               // so far, whoever found it
  Duration own{0};                // the best that the policy itself has drawn so far
  Metrics metrics{};              // what the method tells of the update

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};
using Curve = std::vector<CurvePoint>;

// A placement that was the best so far.
struct Improvement {
  double seconds = 0;  // since the search began
  Duration value{0};
  std::string by;                 // the method that found it
  std::uint64_t evaluations = 0;  // so far

  // When is not part of what was found: clocks differ, and a training may be resumed.
  friend bool operator==(const Improvement& a, const Improvement& b) {
    return a.value == b.value && a.by == b.by;
  }
};

// Two statements that cannot both be true: what a method proved, and what was seen all the same. A
// defect, never the user's mistake (claims.h).
struct Contradiction {
  std::string claimed_by;  // the method whose claim is wrong
  std::string refuted_by;  // the method that found what refutes it
  std::string what;        // one sentence that names both

  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

struct Outcome {
  std::optional<Placement> placement{};  // empty: none found; `reason` says why
  std::optional<Duration>
      lower_bound{};  // on the problem's objective; set by methods that prove one
  bool proven_optimal = false;
  bool contiguous = false;                      // bound and proof hold among contiguous splits only
  std::vector<Contradiction> contradictions{};  // met on the way; bound and proof are free of them
  bool impossible = false;                      // proven: no placement fits, or no contiguous one
  std::string reason{};                         // one sentence when there is no placement
  std::vector<std::string> notes{};  // what the user should know: a fallback, an ignored option
  std::string found_by{};            // the spec that found it, when that is another method
  std::string bound_by{};            // the method that proved the bound, likewise
  std::vector<Improvement> improvements{};  // each better placement as it was found
  Curve curve{};                            // learned methods: how training went
  std::optional<Duration> measured{};  // the placement's time in real runs, by methods that measure

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace berth
