#include "berth/place/measured/candidates.h"

#include <algorithm>

#include "berth/place/measured/measured_choice.h"

namespace berth {

Candidates::Candidates(const Problem& problem) : problem_(problem), evaluator_(problem) {
  for (const DeviceId device : problem.devices()) {
    Placement single = on_one_device(problem, device);
    if (!broken_rule(problem, single) && evaluator_(single).feasible())
      safe_.push_back(std::move(single));
  }
}

bool Candidates::is_new(const Placement& placement) const {
  return std::find(safe_.begin(), safe_.end(), placement) == safe_.end() &&
         std::find(others_.begin(), others_.end(), placement) == others_.end();
}

void Candidates::add(Placement placement) {
  placement.order.clear();
  if (is_new(placement) && !broken_rule(problem_, placement) && evaluator_(placement).feasible())
    others_.push_back(std::move(placement));
}

void Candidates::choose(std::size_t most, int measurements, Budget& budget,
                        Incumbent& incumbent) const {
  const auto choice = choose_by_measuring(safe_, others_, most, measurements, budget);
  if (!choice) return incumbent.note("no placement could be run; this is the best by simulation");
  const bool is_safe = choice->winner < safe_.size();
  incumbent.choose_measured(
      is_safe ? safe_[choice->winner] : others_[choice->winner - safe_.size()], choice->measured);
}

}  // namespace berth
