// The best placement so far and the best bound, with who found and who proved them.
//
// Methods offer placements and bounds; the incumbent judges them. A placement counts when the
// simulator's rules accept it, by the value that they give it, whatever its finder thought of it. A
// bound is a claim, held against every value (claims.h): one that a placement refutes is named and
// dropped.
//
// Any thread may offer.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/search/budget.h"
#include "berth/search/claims.h"
#include "berth/search/outcome.h"
#include "berth/sim/evaluate.h"

namespace berth {

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
  bool is_closed(double gap) const {
    return placement_ && score_.value.count() <= claims_.best().count() * (1 + gap);
  }
  void report(const char* phase) const;

  const Problem& problem_;
  const Budget& budget_;
  mutable std::mutex mutex_;
  Evaluator evaluator_;
  std::optional<Placement> placement_;
  Score score_;
  std::string found_by_;
  Claims claims_;
};

}  // namespace berth
