// A block: the part of a problem between two cut nodes, as a problem of its own.
//
// A cut node (graph/cut_nodes.h) runs alone. So what happens between two of them, c on device a and
// the next one on device b, depends on a and b alone:
//   B(a,b)   the least time from the end of c on a to the start of the next one on b
// Node 0 of a block is its source, the last one its sink; before the first cut node and after the
// last one a source or sink without work stands in, which may have one device only. Between nodes
// that are no cuts a block has what must run between them (separators.h).
//
// A block leaves out what couples it with others: memory limits, channels of links that transfers
// wait for, units with members in several blocks, apart sets. Its least time bounds what is
// possible; a schedule of it may break one of these rules, and who uses it must look.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "berth/problem.h"

namespace berth {

class Block {
 public:
  using Index = std::uint32_t;
  struct Input {
    Index from;
    std::uint32_t transfer;  // the first of its times, by sender and receiver
  };

  // `inner` in topological order. Without a source or sink a stand-in takes its place. Tensors from
  // elsewhere are left out.
  Block(const Problem& problem, std::optional<NodeId> source, std::span<const NodeId> inner,
        std::optional<NodeId> sink);

  Index size() const { return static_cast<Index>(nodes_.size()); }  // source and sink included
  Index source() const { return 0; }
  Index sink() const { return size() - 1; }
  std::size_t devices() const { return devices_; }
  std::size_t source_devices() const { return nodes_.front() ? devices_ : 1; }
  std::size_t sink_devices() const { return nodes_.back() ? devices_ : 1; }
  std::optional<NodeId> node(Index at) const { return nodes_[at]; }

  // Microseconds; infinite where the node may not run. Zero for source and sink, whose times count
  // elsewhere.
  double time(Index at, std::size_t device) const { return time_[at * devices_ + device]; }
  double transfer(const Input& input, std::size_t from, std::size_t to) const {
    return transfer_[input.transfer + from * devices_ + to];
  }
  std::span<const Input> inputs(Index at) const { return inputs_[at]; }
  // Distinct, ascending.
  std::span<const Index> consumers(Index at) const { return consumers_[at]; }
  // All nodes between source and sink that must share its device, itself included; empty where
  // there is no other.
  std::span<const Index> mates(Index at) const {
    return unit_[at] == kAlone ? std::span<const Index>()
                               : std::span<const Index>(units_[unit_[at]]);
  }
  struct Use {
    Index consumer;
    Input input;
  };
  std::span<const Use> uses(Index at) const { return uses_[at]; }
  // The longest that any tensor of the node takes to anywhere.
  double longest_transfer(Index at) const { return longest_transfer_[at]; }

  // Weights y by device that make the most of the bound `work` (search/bounds.h) of all nodes.
  std::span<const double> work_weights() const { return work_weights_; }

  // From the start of each node on each device to the start of the sink on device `to`, node-major:
  // the tails of search/path_times.h.
  std::vector<double> tails(std::size_t to) const;

  // Equal blocks have equal B.
  bool same_as(const Block& other) const;

 private:
  void add_node(const Problem& problem, std::optional<NodeId> node, bool works);
  void add_inputs(const Problem& problem, const IdVector<NodeId, Index>& index_of);
  void add_stand_ins();
  void add_mates(const Problem& problem);

  static constexpr Index kAlone = ~Index{0};
  std::size_t devices_;
  std::vector<std::optional<NodeId>> nodes_;
  std::vector<double> time_, transfer_, longest_transfer_, work_weights_;
  std::vector<std::vector<Input>> inputs_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::vector<Index>> consumers_;
  std::vector<Index> unit_;  // by node: its unit, if others of the block belong to it
  std::vector<std::vector<Index>> units_;
};

}  // namespace berth
