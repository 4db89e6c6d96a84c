// What methods claim, held against what was found.
//
// A bound is a claim: no placement has a smaller value. Claims of several methods are kept by name,
// and where one lies above a value that a placement has,
//   bound > value (1 + kSameValue),
// one of the two is wrong, and it is the bound: the value was simulated. That is a defect of berth
// or of a library under it and never hidden: it is kept as a Contradiction that names both, and of
// the method that made the claim no bound is believed any more. What remains is certain: the value,
// and the bounds of the others.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "berth/base/units.h"
#include "berth/search/outcome.h"

namespace berth {

// Values closer than this, relatively, are one value: sums are rounded, and solvers keep their rows
// to tolerances that come to less than this.
inline constexpr double kSameValue = 1e-6;
// A relative gap below this is rounding of our own sums: what is left is proven.
inline constexpr double kSettled = 1e-9;

class Claims {
 public:
  // A placement of this value exists; only the least matters.
  void found(Duration value, const std::string& by);
  // Nothing is below; zero and less say nothing.
  void bound(Duration value, const std::string& by);
  // A method proved something that is not true: its bounds are not believed.
  void refute(Contradiction contradiction);
  void refute(const std::vector<Contradiction>& contradictions);

  bool is_refuted(const std::string& by) const;
  // The largest bound that is believed, and whose it is; zero and nobody's when there is none.
  Duration best() const;
  std::string best_by() const;
  const std::vector<Contradiction>& contradictions() const { return contradictions_; }

 private:
  struct Claim {
    Duration bound{0};
    bool refuted = false;
  };
  void check();

  Duration value_ = kForever;
  std::string found_by_;
  std::map<std::string, Claim> by_method_;
  std::vector<Contradiction> contradictions_;
};

}  // namespace berth
