#include "berth/place/measured/paired.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {

std::optional<PairedComparison> compare_paired(const Placement& candidate,
                                               const Placement& incumbent, int pairs,
                                               Budget& budget) {
  std::vector<double> ours, theirs, ratios;
  const auto measure = [&](const Placement& placement, std::vector<double>& times) {
    times.push_back(budget.measure(placement).count());
  };
  for (int i = 0; i < pairs && !budget.out_of_time(); ++i) {
    budget.report({.phase = fmt::format("real run {}, pair {} of {}", budget.measurements() + 1,
                                        i + 1, pairs),
                   .best = {},
                   .bound = {}});
    try {
      if (i % 2 == 0) measure(incumbent, theirs);
      measure(candidate, ours);
      if (i % 2 == 1) measure(incumbent, theirs);
    } catch (const Error&) {
      return std::nullopt;
    }
    ratios.push_back(std::log(ours.back() / theirs.back()));
    if (i + 1 >= kFewestPairs && median_interval(ratios).median >= 0) break;
  }
  if (ratios.empty()) return std::nullopt;
  return PairedComparison{.pairs = static_cast<int>(ratios.size()),
                          .log_ratio = median_interval(ratios),
                          .candidate = Duration{median_interval(ours).median},
                          .incumbent = Duration{median_interval(theirs).median}};
}

}  // namespace berth
