// Ids are types: an index into nodes cannot index devices.
//
// Data about nodes lives in an IdVector beside the graph rather than inside it, so each algorithm
// brings its own annotations:
//   IdVector<NodeId, DeviceId> device_of(graph.node_count(), DeviceId{0});
//   device_of[NodeId{3}] = DeviceId{1};   // device_of[DeviceId{1}] does not compile
#pragma once

#include <cassert>
#include <compare>
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
enum class EdgeId : std::uint32_t {};     // one use of one tensor
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
  class iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const Id*;
    using reference = Id;
    constexpr iterator() = default;
    constexpr explicit iterator(std::size_t at) : at_(at) {}
    constexpr Id operator*() const { return static_cast<Id>(at_); }
    constexpr iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++at_;
      return before;
    }
    friend constexpr bool operator==(iterator, iterator) = default;

   private:
    std::size_t at_ = 0;
  };

  constexpr explicit IdRange(std::size_t count) : count_(count) {}
  constexpr iterator begin() const { return iterator(0); }
  constexpr iterator end() const { return iterator(count_); }
  constexpr std::size_t size() const { return count_; }

 private:
  std::size_t count_;
};

// A vector that only its own kind of id can index.
template <class Id, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t count, const T& value = T{}) : items_(count, value) {}
  explicit IdVector(std::vector<T> items) : items_(std::move(items)) {}
  IdVector(std::initializer_list<T> items) : items_(items) {}

  decltype(auto) operator[](Id id) {
    assert(index(id) < items_.size());
    return items_[index(id)];
  }
  decltype(auto) operator[](Id id) const {
    assert(index(id) < items_.size());
    return items_[index(id)];
  }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  IdRange<Id> ids() const { return IdRange<Id>(items_.size()); }
  Id push_back(T value) {
    items_.push_back(std::move(value));
    return static_cast<Id>(items_.size() - 1);
  }
  void assign(std::size_t count, const T& value) { items_.assign(count, value); }
  void resize(std::size_t count, const T& value = T{}) { items_.resize(count, value); }
  void reserve(std::size_t count) { items_.reserve(count); }
  void clear() { items_.clear(); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  const std::vector<T>& items() const { return items_; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace berth
