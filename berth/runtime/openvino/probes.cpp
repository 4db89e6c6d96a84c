// Quick figures of a device and of the way between two: tiny models, measured a few times.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <openvino/op/constant.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/relu.hpp>
#include <openvino/op/tanh.hpp>

#include "berth/runtime/estimate.h"
#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {
namespace {

using namespace ov::op;

std::shared_ptr<v0::Parameter> input(ov::Shape shape) {
  auto parameter = std::make_shared<v0::Parameter>(ov::element::f32, ov::PartialShape(shape));
  parameter->set_friendly_name("x");
  return parameter;
}

std::shared_ptr<ov::Node> square(std::size_t size) {
  return std::make_shared<v0::Constant>(ov::element::f32, ov::Shape{size, size},
                                        std::vector<float>(size * size, 0.01F));
}

// A chain of products with size x size matrices.
OpenvinoModel products(std::size_t size, int count) {
  const auto x = input({size, size});
  std::shared_ptr<ov::Node> at = x;
  for (int i = 0; i < count; ++i) at = std::make_shared<v0::MatMul>(at, square(size));
  return {"products", std::make_shared<ov::Model>(ov::OutputVector{at}, ov::ParameterVector{x})};
}

OpenvinoModel element_wise(Bytes size) {
  const auto x = input({static_cast<std::size_t>(size.count) / sizeof(float)});
  const auto relu = std::make_shared<v0::Relu>(x);
  return {"element-wise",
          std::make_shared<ov::Model>(ov::OutputVector{relu}, ov::ParameterVector{x})};
}

// A producer and a consumer that read and write `size` bytes each.
OpenvinoModel hand_over(Bytes size) {
  const auto x = input({static_cast<std::size_t>(size.count) / sizeof(float)});
  const auto first = std::make_shared<v0::Relu>(x);
  const auto second = std::make_shared<v0::Tanh>(first);
  first->set_friendly_name("first");
  second->set_friendly_name("second");
  return {"hand-over",
          std::make_shared<ov::Model>(ov::OutputVector{second}, ov::ParameterVector{x})};
}

constexpr int kRuns = 9;

Duration typical_time(Executor& executor) {
  executor.run_once();
  std::vector<Duration> samples;
  for (int i = 0; i < kRuns; ++i) samples.push_back(executor.run_once());
  return estimate(samples).median;
}

}  // namespace

DeviceSpeed OpenvinoRuntime::measure_device(const RealDevice& device) {
  constexpr std::size_t kLarge = 768, kSmall = 8;
  constexpr int kLargeCount = 2, kSmallCount = 64;
  constexpr Bytes kStream{std::int64_t{32} << 20};  // in and out: beyond most caches
  const auto time = [&](const OpenvinoModel& model) {
    return typical_time(*prepare_single(model, device, 1));
  };
  const Duration empty = time(element_wise(Bytes{64}));
  const Duration large = time(products(kLarge, kLargeCount)) - empty;
  const Duration small = time(products(kSmall, kSmallCount)) - empty;
  const Duration stream = time(element_wise(kStream)) - empty;
  const auto at_least = [](Duration value) { return in_seconds(std::max(value, Duration{1})); };
  const double flops = 2.0 * kLargeCount * static_cast<double>(kLarge * kLarge * kLarge);
  return {.flops_per_second = flops / at_least(large),
          .bytes_per_second = 2.0 * static_cast<double>(kStream.count) / at_least(stream),
          .launch = std::max(small, Duration{0}) / kSmallCount};
}

LinkSpeed OpenvinoRuntime::measure_link(const RealDevice& from, const RealDevice& to) {
  const std::array<RealDevice, 2> devices{from, to};
  // What passes between the end of the first piece and the end of the second, less what the second
  // takes when its input is its own: at two sizes, which gives startup and bytes per second.
  const auto transfer = [&](Bytes size) {
    const OpenvinoModel model = hand_over(size);
    Placement placement{IdVector<NodeId, DeviceId>(model.graph().node_count(), DeviceId{0}), {}};
    placement.device_of[*model.find("second")] = DeviceId{1};
    const auto apart = prepare(model, devices, placement, ExecutorKind::kConcurrent);
    const std::array<RealDevice, 2> both_on_one{to, to};
    const auto alone = prepare(model, both_on_one, placement, ExecutorKind::kConcurrent);
    std::vector<Duration> waits;
    for (int i = 0; i <= kRuns; ++i) {
      apart->run_once();
      const std::vector<PieceSpan> across = apart->piece_spans();
      alone->run_once();
      const std::vector<PieceSpan> near = alone->piece_spans();
      if (i > 0)  // the first warms up
        waits.push_back((across[1].end - across[0].end) - (near[1].end - near[1].start));
    }
    return std::max(estimate(waits).median, Duration{0.1});
  };
  constexpr Bytes kSmall{1 << 12}, kLarge{1 << 22};
  const Duration small = transfer(kSmall), large = transfer(kLarge);
  const double bytes = static_cast<double>((kLarge - kSmall).count);
  // A wire that is too fast to be told from none still has an end: 100 GB/s.
  const double seconds = std::max(in_seconds(large - small), bytes / 100e9);
  return {.startup = small, .bytes_per_second = bytes / seconds};
}

}  // namespace berth
