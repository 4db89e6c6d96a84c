#include "berth/runtime/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/runtime/estimate.h"

namespace berth {
namespace {

constexpr int kRounds = 12;
constexpr double kBound = 0.3;  // relative errors beyond this count linearly
// Below this the clock and the scheduler decide: a sample weighs as if it took so long.
constexpr double kShortestMicros = 100;

using Row = std::array<double, 3>;  // profiled time, 1, bytes at the border
using Coefficients = std::array<double, 3>;

// What a sample asks of the coefficients: row * c = target.
struct Equation {
  Row row;
  double target, weight;
};

// Weighted least squares over the columns in use; the others stay zero. Gaussian elimination on
// the normal equations, whose columns are scaled to one first; a column that depends on others
// stays zero too.
Coefficients solve(std::span<const Equation> equations, const std::array<bool, 3>& use) {
  Row norm{};
  for (const auto& [row, target, weight] : equations)
    for (std::size_t c = 0; c < 3; ++c) norm[c] += weight * row[c] * row[c];
  for (double& value : norm) value = value > 0 ? std::sqrt(value) : 1;
  double a[3][4] = {};
  for (const auto& [row, target, weight] : equations)
    for (std::size_t r = 0; r < 3; ++r) {
      const double scaled = weight * (row[r] / norm[r]);
      for (std::size_t c = 0; c < 3; ++c) a[r][c] += scaled * (row[c] / norm[c]);
      a[r][3] += scaled * target;
    }
  std::array<bool, 3> solved{};
  for (std::size_t p = 0; p < 3; ++p) {
    if (!use[p] || a[p][p] < 1e-9) continue;
    solved[p] = true;
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == p) continue;
      const double factor = a[r][p] / a[p][p];
      for (std::size_t c = 0; c < 4; ++c) a[r][c] -= factor * a[p][c];
    }
  }
  Coefficients result{};
  for (std::size_t p = 0; p < 3; ++p)
    if (solved[p]) result[p] = a[p][3] / a[p][p] / norm[p];
  return result;
}

// Leaves out the most negative coefficient until none is.
Coefficients solve_nonnegative(std::span<const Equation> equations, std::array<bool, 3> use) {
  while (true) {
    const Coefficients c = solve(equations, use);
    const auto worst = std::ranges::min_element(c);
    if (*worst >= 0) return c;
    use[static_cast<std::size_t>(worst - c.begin())] = false;
  }
}

DeviceFit fit(std::span<const PieceSample> samples, std::optional<double> scale) {
  std::vector<Equation> equations;
  std::vector<double> first_weight;
  for (const PieceSample& sample : samples) {
    first_weight.push_back(1 / std::max(sample.measured.count(), kShortestMicros));
    equations.push_back({{sample.profiled.count(), 1, static_cast<double>(sample.border.count)},
                         sample.measured.count() - scale.value_or(0) * sample.profiled.count(),
                         first_weight.back()});
  }
  Coefficients c{};
  for (int round = 0; round < kRounds; ++round) {
    c = solve_nonnegative(equations, {!scale, true, true});
    for (std::size_t i = 0; i < equations.size(); ++i) {
      auto& [row, target, weight] = equations[i];
      const double predicted = row[0] * c[0] + row[1] * c[1] + row[2] * c[2];
      const double error = std::abs(predicted - target) * first_weight[i];
      weight = first_weight[i] * (error <= kBound ? 1 : kBound / error);
    }
  }
  return {.scale = scale.value_or(c[0]), .overhead = Duration{c[1]}, .micros_per_byte = c[2]};
}

}  // namespace

Calibration calibrate(std::span<const std::size_t> class_of,
                      std::span<const std::optional<double>> scales,
                      std::span<const PieceSample> pieces, std::span<const Duration> waits,
                      double contention) {
  Calibration result;
  result.contention = contention;
  result.devices.resize(class_of.size());
  for (std::size_t d = 0; d < class_of.size(); ++d) {
    std::vector<PieceSample> own;
    for (PieceSample sample : pieces) {
      if (class_of[index(sample.device)] != class_of[d]) continue;
      sample.measured /= 1 + contention * sample.others;
      own.push_back(sample);
    }
    result.devices[d].scale = scales[class_of[d]].value_or(1);
    if (!own.empty()) result.devices[d] = fit(own, scales[class_of[d]]);
  }
  if (!waits.empty()) result.hand_over = std::max(estimate(waits).median, Duration{0});
  return result;
}

Calibration with_extra_cost(Calibration calibration, double factor) {
  for (DeviceFit& device : calibration.devices) {
    device.overhead *= factor;
    device.micros_per_byte *= factor;
  }
  calibration.hand_over *= factor;
  return calibration;
}

}  // namespace berth
