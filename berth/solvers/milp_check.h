// Programs held against the truth that they model.
//
// A program proves something about placements only if every placement that it speaks of is one of
// its solutions, and if the solver is right. Neither is taken on trust:
//   the model   the best known placement, put in as a solution, must satisfy every row and have the
//               value that the simulator gives it (`least_completion`, `worst_violation`). A
//               program that cuts off a real placement proves nothing;
//   the solver  whose known solution stays in the program, so that "infeasible", or a bound above
//               its objective, is a contradiction and never a proof. Floating-point branch and
//               bound is wrong now and then (one program in a thousand, by our count, and far more
//               often where presolve has a defect), so the end of a search of a small program is
//               believed when a second one of another kind, without presolve, symmetry and restarts
//               and with other random numbers, ends at the same value. Where the two differ,
//               further searches decide: two must agree, and none may have found anything better.
// Objectives count as equal within `tolerance`, relatively: the solver keeps rows and integers to
// MilpOptions::tolerance, which must be well below it. A program leaves its objective open at the
// top and keeps room above the known value elsewhere: at the very edge of what is feasible
// "infeasible" is a matter of rounding, and HiGHS 1.15.1 may call a solution optimal whose
// objective lies at an upper limit of the variable that is minimised
// (tests/audit/found/objective-at-its-limit.json).
#pragma once

#include "berth/solvers/milp.h"

namespace berth {

double objective_of(const MilpModel& model, std::span<const double> values);

struct Violation {
  double amount = 0;  // of the row, divided by the largest of its terms where that is above 1
  std::string where;  // "row 12: 3.5 is above its upper side 3", empty when nothing is violated
};
// Of rows, of the limits of variables and of integrality.
Violation worst_violation(const MilpModel& model, std::span<const double> values);

// Values for the variables that are NaN, as small as the rows allow: each starts at its lower
// limit, and a row that is not satisfied raises the one unknown variable that can satisfy it. That
// is the least solution where rows only push upwards, as clocks, cuts and maxima do. Elsewhere some
// row stays violated, which worst_violation tells.
std::vector<double> least_completion(const MilpModel& model, std::vector<double> values);

struct ProofOptions {
  double tolerance = 1e-6;   // relative, on objectives
  std::size_t small = 2000;  // variables up to which a search that came to its end is repeated
};

struct CheckedSolution {
  MilpSolution solution;  // the best of all searches; its bound is -infinity when none is believed
  int searches = 0;       // that came to their end with this bound
  // What cannot be: the program excludes the known solution, or a claim of the solver is refuted by
  // a solution and no second search has cleared it up.
  std::optional<std::string> contradiction{};
  std::optional<std::string> dispute{};  // searches differed, and further ones decided
};

// `options.start` holds at least the integers of a known solution whose objective is `known`; empty
// when none is known. The nodes of all searches are counted in the solution.
CheckedSolution solve_checked(const MilpModel& model, MilpOptions options,
                              std::optional<double> known, const ProofOptions& proof = {});

}  // namespace berth
