#include "berth/runtime/calibrate.h"

#include <cmath>

#include <doctest/doctest.h>

#include "berth/base/random.h"

using namespace berth;

namespace {

const std::vector<std::optional<double>> kUnknown(3);  // scales

// Pieces of all sizes whose times follow the fit exactly, up to relative noise.
std::vector<PieceSample> synthetic(Rng& rng, DeviceId device, const DeviceFit& truth, int count,
                                   double noise, double outliers) {
  std::vector<PieceSample> samples;
  for (int i = 0; i < count; ++i) {
    PieceSample sample{.device = device,
                       .profiled = Duration{std::exp(3 + 6 * rng.uniform())},
                       .border = Bytes{static_cast<std::int64_t>(std::exp(8 + 6 * rng.uniform()))}};
    sample.measured = truth.piece_time(sample.profiled, sample.border) * (1 + noise * rng.normal());
    if (rng.uniform() < outliers) sample.measured *= 5;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("pieces that follow the model give its coefficients back, each device its own") {
  Rng rng(3);
  const DeviceFit fast{1.1, Duration{40}, 0.0005}, slow{2.5, Duration{200}, 0};
  std::vector<PieceSample> samples = synthetic(rng, DeviceId{0}, fast, 60, 0, 0);
  const std::vector<PieceSample> more = synthetic(rng, DeviceId{1}, slow, 60, 0, 0);
  samples.insert(samples.end(), more.begin(), more.end());
  const std::vector<Duration> waits{Duration{5}, Duration{7}, Duration{90}};
  const Calibration found = calibrate(std::vector<std::size_t>{0, 1, 2}, kUnknown, samples, waits);
  REQUIRE(found.devices.size() == 3);
  CHECK(found.devices[0].scale == doctest::Approx(1.1));
  CHECK(found.devices[0].overhead.count() == doctest::Approx(40));
  CHECK(found.devices[0].micros_per_byte == doctest::Approx(0.0005));
  CHECK(found.devices[1].scale == doctest::Approx(2.5));
  CHECK(found.devices[1].overhead.count() == doctest::Approx(200));
  CHECK(found.devices[1].micros_per_byte == doctest::Approx(0).epsilon(1e-6));
  CHECK(found.devices[2] == DeviceFit{});  // never measured
  CHECK(found.hand_over == Duration{7});   // the median
}

TEST_CASE("noise and a tenth of wild samples move the fit by a few percent") {
  Rng rng(4);
  const DeviceFit truth{1.3, Duration{60}, 0.0002};
  const Calibration found = calibrate(std::vector<std::size_t>{0}, kUnknown,
                                      synthetic(rng, DeviceId{0}, truth, 400, 0.05, 0.1), {});
  CHECK(found.devices[0].scale == doctest::Approx(1.3).epsilon(0.05));
  CHECK(found.devices[0].overhead.count() == doctest::Approx(60).epsilon(0.2));
}

TEST_CASE("no coefficient is negative, and what cannot be told apart does not blow up") {
  // Times that fall with the border ask for a negative price per byte.
  std::vector<PieceSample> samples;
  for (int i = 1; i <= 20; ++i)
    samples.push_back({DeviceId{0}, Duration{100.0 * i}, Bytes{1000 * (21 - i)},
                       Duration{100.0 * i - 0.05 * (21 - i)}});
  const DeviceFit fit = calibrate(std::vector<std::size_t>{0}, kUnknown, samples, {}).devices[0];
  CHECK(fit.scale > 0.9);
  CHECK(fit.overhead >= Duration{0});
  CHECK(fit.micros_per_byte >= 0);

  // One sample cannot give three coefficients; it is still met.
  const PieceSample only{DeviceId{0}, Duration{500}, Bytes{1000}, Duration{600}};
  const DeviceFit single =
      calibrate(std::vector<std::size_t>{0}, kUnknown, {&only, 1}, {}).devices[0];
  CHECK(single.piece_time(only.profiled, only.border).count() == doctest::Approx(600));
}

TEST_CASE("devices of one class share their fit, and contention is taken out of the samples") {
  Rng rng(5);
  const DeviceFit truth{1.2, Duration{30}, 0.0003};
  std::vector<PieceSample> samples;
  for (const DeviceId device : {DeviceId{0}, DeviceId{1}})
    for (PieceSample sample : synthetic(rng, device, truth, 40, 0, 0)) {
      sample.others = rng.uniform();
      sample.measured *= 1 + 0.4 * sample.others;
      samples.push_back(sample);
    }
  const Calibration found = calibrate(std::vector<std::size_t>{0, 0}, kUnknown, samples, {}, 0.4);
  CHECK(found.contention == 0.4);
  CHECK(found.devices[0] == found.devices[1]);
  CHECK(found.devices[0].scale == doctest::Approx(1.2));
  CHECK(found.devices[0].overhead.count() == doctest::Approx(30));
  CHECK(found.devices[0].micros_per_byte == doctest::Approx(0.0003));
}

TEST_CASE("a scale that is known is kept, and the rest is fitted around it") {
  Rng rng(6);
  const DeviceFit truth{1.2, Duration{30}, 0.0003};
  const std::vector<std::optional<double>> known{1.2};
  const Calibration found = calibrate(std::vector<std::size_t>{0}, known,
                                      synthetic(rng, DeviceId{0}, truth, 60, 0.02, 0), {});
  CHECK(found.devices[0].scale == 1.2);
  CHECK(found.devices[0].overhead.count() == doctest::Approx(30).epsilon(0.1));
  CHECK(calibrate(std::vector<std::size_t>{0}, known, {}, {}).devices[0].scale == 1.2);
  const Calibration doubled = with_extra_cost(found, 2);
  CHECK(doubled.devices[0].scale == 1.2);
  CHECK(doubled.devices[0].overhead == 2 * found.devices[0].overhead);
}
