// The best placement so far and the best bound, with who found and who proved them.
//
// Methods offer placements and bounds; the incumbent judges them. A placement counts when the
// simulator's rules accept it, by the value that they give it, whatever its finder thought of it. A
// bound is a claim, held against every value (claims.h): one that a placement refutes is named and
// dropped. What else a method has to say goes here too: notes, why it found nothing, what it
// proved impossible.
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
  struct Verdict {
    Score score;
    bool is_best;  // so far, within all rules and limits
    explicit operator bool() const { return is_best; }
  };

  // `method` is whose search it is: offers and bounds are its own unless they name another.
  Incumbent(const Problem& problem, const Budget& budget, std::string method);

  // Placements that break a rule or a limit are scored, not kept.
  Verdict offer(const Placement& placement, const std::string& by = {},
                const char* phase = nullptr);
  // The same for methods that may ignore rules or limits: the placement of best score is kept as a
  // draft, for whoever can mend it.
  Verdict suggest(const Placement& placement, const std::string& by = {},
                  const char* phase = nullptr);
  // What nobody goes below; zero and less say nothing.
  void raise_bound(Duration bound, const std::string& by = {}, const char* phase = nullptr);
  // Nothing is better than the best so far: its value is the bound.
  void prove(const std::string& by = {});
  // Nothing fits at all, or nothing contiguous does.
  void prove_impossible(std::string reason);
  // Bounds and proofs of this search hold among contiguous splits only.
  void only_contiguous();
  // A method proved something that is not true: its bounds are not believed.
  void refute(const std::vector<Contradiction>& contradictions);
  // Why there is no placement, should none be found; the last word counts.
  void fail(std::string reason);
  void note(std::string text);
  // What another search said of the same problem.
  void take(const Outcome& outcome, const std::string& by = {});
  // How a training went.
  void set_curve(std::vector<CurvePoint> curve);
  // Real runs decide: the placement with its measured time, whatever the simulator thinks of it.
  void choose_measured(const Placement& placement, Duration measured);

  std::optional<Placement> placement() const;
  std::optional<Placement> draft() const;  // the best suggestion, within the limits or not
  Score draft_score() const;
  Duration value() const;  // kForever without a placement
  Duration bound() const;
  bool closed(double gap = kSameValue) const;  // value <= bound (1 + gap)

  // Everything at once. Without a placement that fits, and unless the search said that it failed,
  // the draft stands in its place.
  Outcome outcome() const;

 private:
  Verdict judge(const Placement& placement, const std::string& by, const char* phase, bool keep);
  bool is_closed(double gap) const {
    return said_.placement && score_.value.count() <= claims_.best().count() * (1 + gap);
  }
  // Whether bounds hold for such a placement: those of some models know no replicas.
  bool bounds_count(const Placement& placement) const {
    return placement.replicas.empty() || problem_.model().bounds_count_replicas();
  }
  const std::string& name(const std::string& by) const { return by.empty() ? method_ : by; }
  void report(const char* phase) const;

  const Problem& problem_;
  const Budget& budget_;
  const std::string method_;
  mutable std::mutex mutex_;
  Evaluator evaluator_;
  Score score_, draft_score_;
  std::optional<Placement> draft_;
  std::optional<Duration> proven_;  // the value that was proven to be the least
  Claims claims_;
  Outcome said_;  // all but bounds and proof, which the claims decide
};

}  // namespace berth
