#include "berth/sim/piece_cutter.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "berth/graph/order.h"

namespace berth {

void PieceCutter::Table::forget(std::size_t size) {
  if (entries_.size() < size) entries_.resize(size);
  if (++stamp_ != 0) return;
  std::fill(entries_.begin(), entries_.end(), Entry{});
  stamp_ = 1;
}

std::uint32_t PieceCutter::Table::at(std::size_t key, std::uint32_t fresh) {
  Entry& entry = entries_[key];
  if (entry.stamp != stamp_) entry = {stamp_, fresh};
  return entry.label;
}

PieceCutter::PieceCutter(const Graph& graph)
    : graph_(graph), order_(graph.topological_order()), position_(graph.node_count()) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[index(order_[i])] = i;
  before_begin_.push_back(0);
  after_begin_.push_back(0);
  for (const NodeId node : order_) {
    for (const NodeId other : graph.predecessors(node)) before_.push_back(position_[index(other)]);
    for (const NodeId other : graph.successors(node)) after_.push_back(position_[index(other)]);
    before_begin_.push_back(static_cast<std::uint32_t>(before_.size()));
    after_begin_.push_back(static_cast<std::uint32_t>(after_.size()));
  }
  device_.resize(order_.size());
  label_.resize(order_.size());
}

void PieceCutter::take(std::span<const DeviceId> device_of) {
  devices_ = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    device_[i] = static_cast<std::uint32_t>(device_of[index(order_[i])]);
    devices_ = std::max<std::size_t>(devices_, device_[i] + 1);
  }
}

// piece(v) of pieces.h. `alone` tells which devices run each node as a piece of its own.
void PieceCutter::label_convex(const std::vector<bool>* alone) {
  largest_.assign(order_.size() * devices_, 0);  // M_d(v)
  table_.forget((order_.size() + 1) * (devices_ + 1));
  count_ = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t own = device_[i];
    std::uint32_t* const mine = &largest_[i * devices_];
    std::uint32_t piece = 1;
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at) {
      const std::size_t before = before_[at];
      const std::uint32_t* const theirs = &largest_[before * devices_];
      for (std::size_t d = 0; d < devices_; ++d) mine[d] = std::max(mine[d], theirs[d]);
      const bool outside = device_[before] != own;
      piece = std::max(piece, theirs[own] + (outside && theirs[own] > 0 ? 1 : 0));
    }
    mine[own] = piece;
    const bool by_itself = alone != nullptr && (*alone)[own];
    const std::size_t key =
        by_itself ? i * (devices_ + 1) + devices_ : piece * (devices_ + 1) + own;
    set_label(i, key);
  }
}

// The connected parts of each label, over edges between nodes of the same label.
void PieceCutter::split_into_connected() {
  parent_.resize(order_.size());
  std::iota(parent_.begin(), parent_.end(), 0U);
  const auto find = [&](std::uint32_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  };
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at)
      if (label_[before_[at]] == label_[i]) parent_[find(i)] = find(before_[at]);
  table_.forget(order_.size());
  count_ = 0;
  for (std::uint32_t i = 0; i < order_.size(); ++i) set_label(i, find(i));
}

// Splits the pieces that lie on a circle of the quotient by level.
void PieceCutter::split_circles(bool connected) {
  std::vector<std::vector<std::uint32_t>> successors(count_);
  for (std::uint32_t from = 0; from < count_; ++from)
    successors[from].assign(quotient_.begin() + quotient_begin_[from],
                            quotient_.begin() + quotient_begin_[from + 1]);
  const std::vector<std::uint32_t> component = strongly_connected_components(successors);
  std::vector<std::uint32_t> size(count_, 0), level(order_.size(), 0);
  for (const std::uint32_t c : component) ++size[c];
  std::uint32_t levels = 1;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at)
      level[i] = std::max(level[i], level[before_[at]] + (device_[before_[at]] != device_[i]));
    levels = std::max(levels, level[i] + 1);
  }
  table_.forget(std::size_t{count_} * levels);
  count_ = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t own = size[component[label_[i]]] <= 1 ? 0 : level[i];
    set_label(i, label_[i] * std::size_t{levels} + own);
  }
  if (connected) split_into_connected();
}

// One entry per crossing with its producer, and one per consumer on the receiving device.
void PieceCutter::find_crossings() {
  crossing_from_.clear();
  crossing_to_.clear();
  crossing_of_to_.clear();
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    for (const TensorId tensor : graph_.outputs(order_[i])) {
      bool known = false;
      for (const NodeId consumer : graph_.consumers(tensor)) {
        const std::uint32_t to = position_[index(consumer)];
        if (device_[to] == device_[i]) continue;
        if (!known) table_.forget(devices_);
        known = true;
        const std::uint32_t next = static_cast<std::uint32_t>(crossing_from_.size());
        const std::uint32_t crossing = table_.at(device_[to], next);
        if (crossing == next) crossing_from_.push_back(i);
        crossing_to_.push_back(to);
        crossing_of_to_.push_back(crossing);
      }
    }
  crossings_ = crossing_from_.size();
}

// Nodes of one device with equal in(v) and equal out(v).
void PieceCutter::label_by_crossings() {
  find_crossings();
  words_ = (crossings_ + 63) / 64;
  in_.assign(order_.size() * words_, 0);
  out_.assign(order_.size() * words_, 0);
  const auto bit = [](std::size_t crossing) { return std::uint64_t{1} << (crossing % 64); };
  for (std::size_t c = 0; c < crossings_; ++c) out_[crossing_from_[c] * words_ + c / 64] |= bit(c);
  for (std::size_t k = 0; k < crossing_to_.size(); ++k)
    in_[crossing_to_[k] * words_ + crossing_of_to_[k] / 64] |= bit(crossing_of_to_[k]);
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at)
      for (std::size_t w = 0; w < words_; ++w) in_[i * words_ + w] |= in_[before_[at] * words_ + w];
  for (std::size_t i = order_.size(); i-- > 0;)
    for (std::uint32_t at = after_begin_[i]; at < after_begin_[i + 1]; ++at)
      for (std::size_t w = 0; w < words_; ++w)
        out_[i * words_ + w] |= out_[after_[at] * words_ + w];

  first_.assign(std::bit_ceil(2 * order_.size() + 2), 0);
  const std::size_t mask = first_.size() - 1;
  const auto row = [&](const std::vector<std::uint64_t>& bits, std::size_t i) {
    return std::span(bits.data() + i * words_, words_);
  };
  const auto same = [&](std::size_t a, std::size_t b) {
    return device_[a] == device_[b] && std::ranges::equal(row(in_, a), row(in_, b)) &&
           std::ranges::equal(row(out_, a), row(out_, b));
  };
  count_ = 0;
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    std::uint64_t hash = device_[i] + 1;
    const auto mix = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    };
    for (const std::uint64_t word : row(in_, i)) mix(word);
    for (const std::uint64_t word : row(out_, i)) mix(word);
    std::size_t slot = hash & mask;
    while (first_[slot] != 0 && !same(first_[slot] - 1, i)) slot = (slot + 1) & mask;
    if (first_[slot] == 0) {
      first_[slot] = i + 1;
      label_[i] = count_++;
    } else {
      label_[i] = label_[first_[slot] - 1];
    }
  }
}

// Pieces in a topological order of the quotient; labels are in order of their first members.
bool PieceCutter::number() {
  quotient_begin_.assign(count_ + 2, 0);
  missing_.assign(count_, 0);
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at) {
      const std::uint32_t from = label_[before_[at]];
      if (from == label_[i]) continue;
      ++quotient_begin_[from + 2];
      ++missing_[label_[i]];
    }
  std::partial_sum(quotient_begin_.begin(), quotient_begin_.end(), quotient_begin_.begin());
  quotient_.resize(quotient_begin_.back());
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (std::uint32_t at = before_begin_[i]; at < before_begin_[i + 1]; ++at) {
      const std::uint32_t from = label_[before_[at]];
      if (from != label_[i]) quotient_[quotient_begin_[from + 1]++] = label_[i];
    }
  ready_.clear();
  for (std::uint32_t p = 0; p < count_; ++p)
    if (missing_[p] == 0) ready_.push_back(p);  // ascending: a heap
  number_.assign(count_, 0);
  std::uint32_t next = 0;
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    const std::uint32_t p = ready_.back();
    ready_.pop_back();
    number_[p] = next++;
    for (std::uint32_t at = quotient_begin_[p]; at < quotient_begin_[p + 1]; ++at)
      if (--missing_[quotient_[at]] == 0) {
        ready_.push_back(quotient_[at]);
        std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
      }
  }
  if (next < count_) return false;
  pieces_.piece_of.resize(order_.size());
  pieces_.device.resize(count_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    pieces_.piece_of[order_[i]] = number_[label_[i]];
    pieces_.device[number_[label_[i]]] = static_cast<DeviceId>(device_[i]);
  }
  return true;
}

const Pieces& PieceCutter::cut_convex(std::span<const DeviceId> device_of,
                                      const std::vector<bool>* alone, bool connected) {
  take(device_of);
  label_convex(alone);
  if (connected) split_into_connected();
  if (!number()) {
    split_circles(connected);
    [[maybe_unused]] const bool acyclic = number();
    assert(acyclic && "a quotient by level has no circle");
  }
  return pieces_;
}

const Pieces& PieceCutter::eager(std::span<const DeviceId> device_of) {
  take(device_of);
  label_by_crossings();
  [[maybe_unused]] const bool acyclic = number();
  assert(acyclic && "crossings only grow along a path");
  return pieces_;
}

}  // namespace berth
