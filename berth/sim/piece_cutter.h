// Cuts many placements of one graph into pieces: the rules of pieces.h, made for searches.
//
// Nodes are numbered by topological position once, so that labels in order of first appearance come
// for free. Each step works on flat arrays that are kept from one placement to the next: nothing is
// allocated once they have grown, except where subgraphs or calls feed each other in a circle.
// Labels are told apart by stamped tables instead of maps. Prompt pieces compare rows of bits,
// which are hashed first. The quotient keeps repeated edges; Kahn's algorithm, which numbers the
// pieces, does not mind them, and finds the circles on the way.
#pragma once

#include "berth/sim/pieces.h"

namespace berth {

class PieceCutter {
 public:
  explicit PieceCutter(const Graph& graph);  // which must stay

  // Answers stay valid until the next call.
  const Pieces& subgraphs(std::span<const DeviceId> device_of) {
    return cut_convex(device_of, nullptr, true);
  }
  const Pieces& calls(std::span<const DeviceId> device_of, const std::vector<bool>& is_host) {
    return cut_convex(device_of, &is_host, false);
  }
  const Pieces& eager(std::span<const DeviceId> device_of);

 private:
  using Labels = std::vector<std::uint32_t>;  // by topological position

  void take(std::span<const DeviceId> device_of);
  void label_convex(const std::vector<bool>* alone);
  void split_into_connected();
  void split_circles(bool connected);
  void label_by_crossings();
  void find_crossings();
  bool number();  // false: the quotient has a circle
  const Pieces& cut_convex(std::span<const DeviceId> device_of, const std::vector<bool>* alone,
                           bool connected);
  // The label of the key in the table, or the next one.
  void set_label(std::size_t position, std::size_t key) {
    label_[position] = table_.at(key, count_);
    count_ += label_[position] == count_;
  }

  // A table from small numbers to labels that forgets everything at once.
  class Table {
   public:
    void forget(std::size_t size);
    // The label of the key; `fresh` when it has none yet.
    std::uint32_t at(std::size_t key, std::uint32_t fresh);

   private:
    struct Entry {
      std::uint32_t stamp = 0, label = 0;
    };
    std::vector<Entry> entries_;
    std::uint32_t stamp_ = 0;
  };

  const Graph& graph_;
  std::span<const NodeId> order_;
  std::vector<std::uint32_t> position_;                                     // by node
  std::vector<std::uint32_t> before_begin_, before_, after_begin_, after_;  // as positions

  std::vector<std::uint32_t> device_;  // by position
  std::size_t devices_ = 0;            // one more than the largest in use
  Labels label_;
  std::uint32_t count_ = 0;  // labels in use
  std::vector<std::uint32_t> largest_, parent_;
  Table table_;
  std::size_t crossings_ = 0, words_ = 0;
  std::vector<std::uint32_t> crossing_from_, crossing_to_, crossing_of_to_;
  std::vector<std::uint64_t> in_, out_;
  std::vector<std::uint32_t> first_;  // hash slots: 1 + position of a label's first node
  std::vector<std::uint32_t> missing_, number_, quotient_begin_, quotient_, ready_;
  Pieces pieces_;
};

}  // namespace berth
