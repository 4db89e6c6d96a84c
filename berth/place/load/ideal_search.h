// The best contiguous split with every load below a limit, over ideals.
//
// With s the devices in use per class and I, J ideals,
//   best[I][s] = min over J in I and classes c of  max( best[J][s - e_c], load_c(I \ J) )
// Push form: from J, units are added one by one while they make a piece below T (expand_devices.h).
// Nothing is stored per pair, and an ideal exists only once it is reached and useful, that is when
// the devices left can do what is left within T (remaining_capacity.h). Balanced optima leave
// little slack, so few ideals are useful. With several servers the steps of the chain are servers
// (expand_servers.h).
//
// From both ends: a chain over K devices is cut where its first pieces have used at least some i of
// them. The first part is searched upwards from the empty set, the rest, with K - i devices at
// most, downwards from the full one, and the two tables are joined. The search proceeds by devices
// in use, a level at a time, always from the end where the next level is cheaper; so the ideals in
// the middle, by far the most, are reached from either side and not expanded.
//
// Parallel over the sets of a level (state_table.h). Entries are minima and ties are broken by the
// sets themselves, so the result does not depend on the threads. Time O(useful pairs * nets of a
// unit); memory O(useful ideals).
#pragma once

#include "berth/place/load/piece_chain.h"
#include "berth/search/budget.h"

namespace berth {

struct IdealLimits {
  LoadModel::Halves load;   // every load of a half stays strictly below
  std::size_t bytes = 0;    // for the tables
  std::uint64_t pairs = 0;  // pieces looked at; 0: no limit
  unsigned threads = 1;
};

struct IdealSearch {
  enum class Verdict : std::uint8_t { kFound, kImpossible, kOutOfMemory, kStopped };
  Verdict verdict = Verdict::kStopped;
  std::optional<PieceChain> best{};  // kFound: the smallest maximum of the last half
  std::size_t ideals = 0;            // in the tables
  std::uint64_t pairs = 0;           // pieces looked at
};

// `order`: that of the model's units, or one that extends it.
IdealSearch search_ideals(const LoadModel& model, const UnitOrder& order, const IdealLimits& limits,
                          const Budget& budget);

// What an ideal of this model takes in the tables, on average and with room to grow.
std::size_t bytes_per_ideal(const LoadModel& model);

}  // namespace berth
