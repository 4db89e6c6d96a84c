#include "berth/cost/costs.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("node times are kept per node and device") {
  NodeTimes times(2, 3, Duration{1});
  times.set(NodeId{1}, DeviceId{2}, kForever);
  CHECK(times(NodeId{0}, DeviceId{2}) == Duration{1});
  CHECK(times(NodeId{1}, DeviceId{2}) == kForever);
  CHECK(times.node_count() == 2);
  CHECK(times.row(NodeId{1}).size() == 3);
}

TEST_CASE("transfer times come from the links unless they are given") {
  CHECK(TransferTimes().source() == TransferSource::kLinks);
}

TEST_CASE("a time per tensor holds for any two devices and for none") {
  const TransferTimes times =
      TransferTimes::per_tensor(IdVector<TensorId, Duration>{Duration{4}, Duration{9}});
  CHECK(times.source() == TransferSource::kPerTensor);
  CHECK(times.given(TensorId{1}, DeviceId{0}, DeviceId{2}) == Duration{9});
  CHECK(times.given(TensorId{1}, DeviceId{2}, DeviceId{0}) == Duration{9});
  CHECK(times.given(TensorId{1}, DeviceId{2}, DeviceId{2}) == Duration{0});
}

TEST_CASE("a time per tensor and pair is directed") {
  const TransferTimes times =
      TransferTimes::per_tensor_and_pair(2, {0, 1, 2, 0, /* second tensor */ 0, 3, 4, 0});
  CHECK(times.source() == TransferSource::kPerTensorAndPair);
  CHECK(times.given(TensorId{0}, DeviceId{0}, DeviceId{1}) == Duration{1});
  CHECK(times.given(TensorId{0}, DeviceId{1}, DeviceId{0}) == Duration{2});
  CHECK(times.given(TensorId{1}, DeviceId{1}, DeviceId{0}) == Duration{4});
  CHECK(times.given(TensorId{1}, DeviceId{1}, DeviceId{1}) == Duration{0});
}
