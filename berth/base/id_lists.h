// Lists by id, one after another in one array (compressed rows): each list is a span.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "berth/base/ids.h"

namespace berth {

template <class Id, class T>
class IdLists {
 public:
  IdLists() = default;
  // The list of an id has value(item) of the items with that key, in their order. Keys and values
  // are functions or members. A counting sort, O(items + lists).
  template <class Items, class Key, class Value = std::identity>
  IdLists(std::size_t lists, const Items& items, const Key& key, const Value& value = {})
      : begin_(lists + 1, 0) {
    for (const auto& item : items) ++begin_[index(std::invoke(key, item)) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    items_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& item : items)
      items_[next[index(std::invoke(key, item))]++] = std::invoke(value, item);
  }

  // The list of the next id: what is pushed until it is closed.
  void push(T item) { items_.push_back(item); }
  void push(std::span<const T> items) { items_.insert(items_.end(), items.begin(), items.end()); }
  void close() { begin_.push_back(static_cast<std::uint32_t>(items_.size())); }
  void close_distinct() {  // ascending, without repeats
    const auto start = items_.begin() + begin_.back();
    std::sort(start, items_.end());
    items_.erase(std::unique(start, items_.end()), items_.end());
    close();
  }

  std::span<const T> operator[](Id id) const {
    return {items_.data() + begin_[index(id)], items_.data() + begin_[index(id) + 1]};
  }
  std::size_t size() const { return begin_.size() - 1; }
  std::size_t item_count() const { return items_.size(); }

  friend bool operator==(const IdLists&, const IdLists&) = default;

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<T> items_;
};

}  // namespace berth
