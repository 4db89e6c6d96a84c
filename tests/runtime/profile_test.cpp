#include "berth/runtime/profile.h"

#include <doctest/doctest.h>

#include "berth/runtime/model_problem.h"
#include "berth/sim/evaluate.h"
#include "tests/support/fake_runtime.h"

using namespace berth;

namespace {

struct Machine {
  FakeRuntime runtime;
  FakeModel model;
  std::vector<RealDevice> devices = runtime.devices({});
  Cluster cluster{
      {{.name = "CPU0", .kind = DeviceKind::kCpu}, {.name = "CPU1", .kind = DeviceKind::kCpu}}};

  ModelProfile profile(RecordFile& cache) {
    return profile_model(runtime, model, devices, cluster, cache, {});
  }
};

double whole_model(const ModelProfile& profile) {
  Evaluator evaluator(piece_problem(profile.profiled, profile.calibration));
  return evaluator(std::vector(kNodes, DeviceId{0})).value.count();
}

}  // namespace

TEST_CASE("a profile explains what it measured, and the next one remembers it") {
  Machine machine;
  RecordFile cache({});
  const ModelProfile first = machine.profile(cache);
  REQUIRE(first.run);
  CHECK(median_error(first.run->held_out) < 0.02);
  CHECK(whole_model(first) == doctest::Approx(kNodes * kMicros + kOverhead).epsilon(0.02));
  CHECK(first.calibration.contention == doctest::Approx(0));
  const ModelProfile second = machine.profile(cache);
  CHECK_FALSE(second.run);
  CHECK_FALSE(second.was_too_slow);
  CHECK(second.calibration == first.calibration);
  CHECK(machine.runtime.measurements == 1);
}

TEST_CASE("what was measured on a busy machine is measured again on a quiet one") {
  Machine machine;
  RecordFile cache({});
  machine.runtime.slowness = 1.6;
  CHECK(whole_model(machine.profile(cache)) ==
        doctest::Approx(1.6 * (kNodes * kMicros + kOverhead)).epsilon(0.02));
  machine.runtime.slowness = 1;
  const ModelProfile again = machine.profile(cache);
  CHECK(again.was_too_slow);
  CHECK(machine.runtime.measurements == 2);
  CHECK(whole_model(again) == doctest::Approx(kNodes * kMicros + kOverhead).epsilon(0.02));
  // And then remembered; a machine that is busy now changes nothing.
  machine.runtime.slowness = 1.6;
  const ModelProfile busy_now = machine.profile(cache);
  CHECK_FALSE(busy_now.was_too_slow);
  CHECK(busy_now.calibration == again.calibration);
  CHECK(machine.runtime.measurements == 2);
}

TEST_CASE("a machine that becomes slower while it is measured does not make pieces dear") {
  Machine machine;
  RecordFile cache({});
  const OpTimes times = machine.runtime.measure_ops(machine.model, machine.devices, cache);
  const Problem profiled = profiled_problem(machine.model, machine.cluster, times);
  const CalibrationRun run = calibrate_on(
      machine.runtime, machine.model, machine.devices, profiled,
      {.fit = 20, .check = 10, .progress = [&](std::size_t done, std::size_t) {
         machine.runtime.slowness = 1 + 0.05 * static_cast<double>(done);  // 2.5 at the end
       }});
  for (const Measured& each : run.held_out) {
    CHECK(each.drift > 1.1);  // the last third: slower than usual
    CHECK(each.error_without_drift() < 0.05);
    CHECK(each.error() > 0.1);
  }
}
