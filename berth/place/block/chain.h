// Blocks in a row between separators, and shortest paths over the devices of these.
//
//   F(c_1, b)     = p(c_1, b)
//   F(c_{i+1}, b) = min over a of  F(c_i, a) + B_i(a, b) + p(c_{i+1}, b)
// Each B_i is known between two sides (block_search.h): by lower sides F bounds every placement, by
// upper sides it is a schedule where nothing is left out. Equal blocks are of one kind, and what is
// learned of one is known of all. O(blocks D^2) for a path.
#pragma once

#include "berth/place/block/block_search.h"
#include "berth/place/block/separators.h"
#include "berth/placement.h"

namespace berth {

class Chain {
 public:
  Chain(const Problem& problem, const Separators& separators);

  bool exact() const { return exact_; }

  enum class Side { kLower, kUpper };
  struct Path {
    double length = 0;                  // microseconds; infinite: there is none
    std::vector<std::size_t> device{};  // of each separator, stand-ins at both ends included
  };
  Path shortest(Side side) const;
  // The devices and order of a path by upper sides; only of an exact chain.
  Placement placement(const Path& path) const;

  // The search of a kind of block from device a to device b, for lengths below `enough`.
  struct Job {
    std::size_t kind, a, b;
    double enough;
  };
  // Every pair of every kind of at most so many nodes.
  std::vector<Job> all_jobs(std::size_t most_nodes) const;
  // The pairs on the paths that are not exact and may be searched wider, each once. `best` is a
  // value that is already reached.
  std::vector<Job> open_jobs(std::span<const Path> paths, double best, std::size_t most_width,
                             std::size_t most_nodes) const;
  // Each job once, wider than before.
  void search(std::span<const Job> jobs, std::size_t most_width, std::size_t threads,
              const Budget& budget);

 private:
  // What is known of one kind of block, by the devices of its source and sink.
  struct Kind {
    explicit Kind(Block made);
    Block block;
    std::vector<BlockSchedule> pairs;
    std::vector<std::size_t> width;  // of the last search of each pair

    std::size_t pair(std::size_t a, std::size_t b) const { return a * block.sink_devices() + b; }
  };
  // By separator and device, stand-ins at both ends included.
  using Lengths = std::vector<std::vector<double>>;

  void add(Block block);
  const Kind& kind(std::size_t i) const { return kinds_[row_[i]]; }
  double length(std::size_t i, std::size_t a, std::size_t b, Side side) const;
  double time(std::size_t separator, std::size_t device) const;
  Lengths from_begin(Side side) const;  // to the separator's end
  Lengths to_end(Side side) const;      // from the separator's start

  Problem problem_;
  bool exact_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> row_;  // the kind of each block
  std::vector<Block> own_;        // each block with its own nodes
};

}  // namespace berth
