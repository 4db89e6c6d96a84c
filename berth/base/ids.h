// Ids are types: an index into nodes cannot index devices.
//
// Data about nodes lives in an IdVector beside the graph rather than inside it, so each algorithm
// brings its own annotations:
//   IdVector<NodeId, DeviceId> device_of(graph.node_count(), DeviceId{0});
//   device_of[NodeId{3}] = DeviceId{1};   // device_of[DeviceId{1}] does not compile
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace berth {

enum class NodeId : std::uint32_t {};     // an operator
enum class TensorId : std::uint32_t {};   // one output of one operator
enum class DeviceId : std::uint16_t {};   // something that runs operators
enum class ChannelId : std::uint16_t {};  // something that carries one transfer at a time
enum class UnitId : std::uint32_t {};     // a co-location set: what a placer moves as one

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

// The ids 0, 1, ..., count - 1, to be used in a range-for.
template <class Id>
class IdRange {
 public:
  struct iterator {
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const Id*;
    using reference = Id;
    constexpr Id operator*() const { return static_cast<Id>(at); }
    constexpr iterator& operator++() {
      ++at;
      return *this;
    }
    constexpr iterator operator++(int) { return {at++}; }
    friend constexpr bool operator==(iterator, iterator) = default;

    std::size_t at = 0;
  };

  constexpr explicit IdRange(std::size_t count) : count_(count) {}
  constexpr iterator begin() const { return {0}; }
  constexpr iterator end() const { return {count_}; }
  constexpr std::size_t size() const { return count_; }

 private:
  std::size_t count_;
};

// A vector that only its own kind of id can index.
template <class Id, class T>
class IdVector : private std::vector<T> {
  using Items = std::vector<T>;

 public:
  using Items::assign, Items::begin, Items::clear, Items::data, Items::empty, Items::end,
      Items::reserve, Items::resize, Items::size;

  IdVector() = default;
  explicit IdVector(std::size_t count, const T& value = T{}) : Items(count, value) {}
  explicit IdVector(Items items) : Items(std::move(items)) {}
  IdVector(std::initializer_list<T> items) : Items(items) {}

  decltype(auto) operator[](Id id) {
    assert(index(id) < size());
    return Items::operator[](index(id));
  }
  decltype(auto) operator[](Id id) const {
    assert(index(id) < size());
    return Items::operator[](index(id));
  }
  IdRange<Id> ids() const { return IdRange<Id>(size()); }
  Id push_back(T value) {
    Items::push_back(std::move(value));
    return static_cast<Id>(size() - 1);
  }
  const Items& items() const { return *this; }

  friend bool operator==(const IdVector&, const IdVector&) = default;
};

}  // namespace berth
