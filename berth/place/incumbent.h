// The best placement so far and the best bound, with who found and who proved them.
//
// Methods offer placements and bounds; the incumbent judges them. A placement counts when the
// simulator's rules accept it, by the value that they give it, whatever its finder thought of it. A
// bound is a claim: no placement has a smaller value. Claims of several methods meet here, and
// where a bound lies above a value that a placement has,
//   bound > value (1 + kSameValue),
// one of them is wrong, and it is the bound: the value was simulated. That is a defect of berth or
// of a library under it and never hidden: it is kept as a Contradiction that names both, and of the
// method that made the claim no bound is believed any more. What remains is certain: the placement,
// its value, and the bounds of the others.
//
// Any thread may offer.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/place/budget.h"
#include "berth/place/placer.h"
#include "berth/sim/evaluate.h"

namespace berth {

// Values closer than this, relatively, are one value: sums are rounded, and solvers keep their rows
// to tolerances that come to less than this.
inline constexpr double kSameValue = 1e-6;

// Whether no placement can have this value if the bound holds.
inline bool contradicts(Duration bound, Duration value) {
  return bound.count() > value.count() + kSameValue * std::max(value.count(), 1e-9);
}

class Incumbent {
 public:
  // Starts without a placement, and with the cheap bounds (bounds.h).
  Incumbent(const Problem& problem, const Budget& budget);

  // True when it is the best so far. Placements that break a rule or a limit are not kept.
  bool offer(const Placement& placement, const std::string& by, const char* phase = nullptr);
  // What nobody goes below; zero and less say nothing.
  void raise_bound(Duration bound, const std::string& by, const char* phase = nullptr);
  void add(const std::vector<Contradiction>& contradictions);
  // A method proved something that is not true: its bounds are not believed.
  void refute(Contradiction contradiction);

  std::optional<Placement> placement() const;
  Duration value() const;  // kForever without a placement
  Duration bound() const;
  bool closed(double gap = kSameValue) const;  // value <= bound (1 + gap)

  // Everything at once: placement, bound, proof, finder, contradictions.
  Outcome outcome(double gap = kSameValue) const;

 private:
  struct Claim {
    Duration bound{0};
    bool refuted = false;
  };
  Duration best_bound() const;
  bool is_closed(double gap) const {
    return placement_ && score_.value.count() <= best_bound().count() * (1 + gap);
  }
  void check_claims();
  void report(const char* phase) const;

  const Problem& problem_;
  const Budget& budget_;
  mutable std::mutex mutex_;
  Evaluator evaluator_;
  std::optional<Placement> placement_;
  Score score_;
  std::string found_by_;
  std::map<std::string, Claim> claims_;  // by method
  std::vector<Contradiction> contradictions_;
};

}  // namespace berth
