// Quick figures of a device and of the way between two: tiny models, measured a few times.

#include <algorithm>
#include <array>

#include <openvino/op/ops.hpp>

#include "berth/runtime/estimate.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/run_as.h"

namespace berth {
namespace {

using namespace ov::op;

OpenvinoModel model_of(const char* name, const std::shared_ptr<v0::Parameter>& x,
                       const std::shared_ptr<ov::Node>& last) {
  last->set_friendly_name("last");
  return {name, std::make_shared<ov::Model>(ov::OutputVector{last}, ov::ParameterVector{x})};
}

// A chain of products with size x size matrices.
OpenvinoModel products(std::size_t size, int count) {
  const ov::Shape square{size, size};
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, square);
  std::shared_ptr<ov::Node> at = x;
  for (int i = 0; i < count; ++i)
    at = std::make_shared<v0::MatMul>(
        at, v0::Constant::create(ov::element::f32, square, std::vector<float>{0.01F}));
  return model_of("products", x, at);
}

// Operators one after another that read and write `size` bytes each.
template <class... Operators>
OpenvinoModel pointwise(const char* name, Bytes size) {
  const ov::Shape shape{static_cast<std::size_t>(size.count) / sizeof(float)};
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, shape);
  std::shared_ptr<ov::Node> at = x;
  ((at = std::make_shared<Operators>(at)), ...);
  return model_of(name, x, at);
}

constexpr int kRuns = 9;

}  // namespace

DeviceSpeed OpenvinoRuntime::measure_device(const RealDevice& device) {
  constexpr std::size_t kLarge = 768, kSmall = 8;
  constexpr int kLargeCount = 2, kSmallCount = 64;
  constexpr Bytes kStream{std::int64_t{32} << 20};  // in and out: beyond most caches
  const auto time = [&](const OpenvinoModel& model) {
    return typical_latency(*prepare_single(model, device, 1), kRuns);
  };
  const auto element_wise = [](Bytes size) { return pointwise<v0::Relu>("element-wise", size); };
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
    const OpenvinoModel model = pointwise<v0::Relu, v0::Tanh>("hand-over", size);
    Placement placement{IdVector<NodeId, DeviceId>(model.graph().node_count(), DeviceId{0}), {}};
    placement.device_of[*model.find("last")] = DeviceId{1};
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
