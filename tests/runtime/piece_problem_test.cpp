#include <doctest/doctest.h>

#include "berth/runtime/model_problem.h"
#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// a -> b, 100 us each on either of two devices.
Problem chain() {
  Sketch sketch("chain", 2, 2);
  const NodeId a = sketch.node("a", {100, 100}), b = sketch.node("b", {100, kNever});
  sketch.at(a).op_type = sketch.at(b).op_type = "Convolution";
  sketch.make_image(sketch.tensor(a, 1000, {b}));
  return sketch.build();
}

Calibration example() {
  return {.devices = {{2, Duration{10}, 0.01}, {3, Duration{20}, 0.02}}, .hand_over = Duration{7}};
}

}  // namespace

TEST_CASE("calibration becomes times, overheads, conversions and links") {
  const Problem problem = piece_problem(chain(), example());
  CHECK(problem.as<InPieces>());
  CHECK(problem.objective() == Objective::kLatency);
  CHECK(problem.time(NodeId{0}, DeviceId{0}) == Duration{200});
  CHECK(problem.time(NodeId{0}, DeviceId{1}) == Duration{300});
  CHECK(problem.time(NodeId{1}, DeviceId{1}) == kForever);
  CHECK(problem.cluster().device(DeviceId{1}).piece_overhead == Duration{20});
  CHECK(problem.cluster().device(DeviceId{1}).border_bytes_per_second == doctest::Approx(50e6));
  CHECK(problem.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}) == Duration{7});
  // b on the first device, a on the second: 3*100 + 20 + 0.02*1000, 7, 2*100 + 10 + 0.01*1000.
  CHECK(Evaluator(problem)(placed({1, 0})).value.count() == doctest::Approx(340 + 7 + 220));
  const Problem throughput = piece_problem(chain(), example(), Objective::kThroughput);
  CHECK(Evaluator(throughput)(placed({1, 0})).value.count() == doctest::Approx(340));
}

TEST_CASE("profiled times are summed per piece") {
  const Problem problem = chain();
  const Pieces pieces = eager_pieces(problem.graph(), placed({1, 0}).device_of.items());
  CHECK(profiled_times(problem, pieces) == std::vector{Duration{100}, Duration{100}});
}
