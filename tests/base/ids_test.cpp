#include "berth/base/ids.h"

#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/units.h"

using namespace berth;

namespace {

template <class Vector, class Id>
concept IndexableBy = requires(Vector vector, Id id) {
  vector[id];
};

}  // namespace

TEST_CASE("an IdVector is indexed by its own kind of id and no other") {
  static_assert(IndexableBy<IdVector<NodeId, int>, NodeId>);
  static_assert(!IndexableBy<IdVector<NodeId, int>, DeviceId>);
  static_assert(!IndexableBy<IdVector<NodeId, int>, int>);
  IdVector<NodeId, int> items(3, 5);
  items[NodeId{1}] = 7;
  CHECK(items.items() == std::vector<int>{5, 7, 5});
  CHECK(items.push_back(9) == NodeId{3});
  CHECK(items.size() == 4);
}

TEST_CASE("a range of ids counts from zero") {
  std::vector<std::size_t> seen;
  for (const DeviceId device : IdRange<DeviceId>(3)) seen.push_back(index(device));
  CHECK(seen == std::vector<std::size_t>{0, 1, 2});
  CHECK(IdRange<NodeId>(0).begin() == IdRange<NodeId>(0).end());
}

TEST_CASE("durations are microseconds and convert on request") {
  CHECK(milliseconds(2.5) == Duration{2500});
  CHECK(in_milliseconds(Duration{1500}) == doctest::Approx(1.5));
  CHECK(in_seconds(Duration{1500}) == doctest::Approx(0.0015));
  CHECK(kForever > Duration{1e300});
}

TEST_CASE("bytes add, subtract and compare") {
  Bytes size{5};
  size += Bytes{3};
  size -= Bytes{10};
  CHECK(size == Bytes{-2});
  CHECK(Bytes{2} + Bytes{3} == Bytes{5});
  CHECK(Bytes{2} - Bytes{3} < Bytes{0});
}
