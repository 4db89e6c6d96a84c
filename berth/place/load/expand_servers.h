// Servers as steps of a search over ideals: a hierarchy of two levels.
//
// Devices stand in servers, and each server's wire to the network has a load of its own
// (sim/loads.h): the network times of the nets that the server's units cut, together. The load of a
// device does not depend on servers. So a contiguous split below T is a chain of ideals again,
// whose links are servers:
//   outer[I][s] = min over ideals J in I and kinds k of servers of
//                   max( outer[J][s - e_k],  network(I \ J),  inner(J, I, devices of k) )
//   inner(J, I, d) = min over ideals J' between them of
//                   max( inner(J, J', d - e_c),  load_c(I \ J') )
// Each server holds consecutive pieces of the chain, the pieces of one run, which is what
// contiguous means here (sim/pieces.h). The outer chain is searched from both ends like one of
// devices (ideal_search.h). The inner one is a table of its own for each J that the outer search
// reaches, filled device by device and thrown away; no pair (J, I) is kept. What prunes the flat
// search prunes both: a set is worth keeping only if the devices left in this server and the others
// can do the rest below T. Time O(sum over reached J of the pairs inside one server); memory that
// of the flat search and one inner table for each thread.
//
// Tarnawski et al., NeurIPS 2020, section on hierarchies; Narayanan et al., PipeDream, SOSP 2019
// (the network as a stage of the pipeline).
#pragma once

#include "berth/place/load/expand_devices.h"

namespace berth {

// All that one server can add to a set, with its devices in use and its largest load.
class ServerInside {
 public:
  // A kind of server to take, and the devices by class that are left in others then.
  struct Choice {
    std::size_t kind;
    RemainingCapacity::DevicesLeft beyond;
  };

  ServerInside(const SearchGround& ground, IdealWalk::Direction direction, Effort& effort);

  // Fills the table with the sets reached from `start`. False when the effort is spent.
  bool fill(std::span<const std::uint64_t> start, std::span<const Choice> choices);
  const StateTable& sets() const { return sets_; }
  const StateSpace& space() const { return space_; }
  // Whether a server of the kind has the devices that the state uses.
  bool has_devices(std::size_t kind, std::size_t state) const;

  // What the units between `start` and a set of the table make together: whether the network time
  // of each half stays below the limit, that of the last half, and what is left beside them.
  struct Whole {
    bool fits = false;
    double network = 0;
    Rest rest;
  };
  Whole whole(std::span<const std::uint64_t> set);

 private:
  const SearchGround& ground_;
  Effort& effort_;
  StateSpace space_;
  StateTable sets_;
  PieceGrower grower_;
  PieceLoad load_;
  std::vector<std::uint64_t> start_;
};

// Adds servers to the sets of one table; one for each thread.
class ServerGrower {
 public:
  ServerGrower(const SearchGround& ground, const StateSpace& space, IdealWalk::Direction direction,
               StateTable& sets, Effort& effort);

  // From the states of the set with so many servers in use.
  void expand(const StateTable::Address& at, std::size_t used);

 private:
  struct Move {
    std::size_t kind;
    std::uint32_t to;
    double value;
  };
  const SearchGround& ground_;
  const StateSpace& space_;
  StateTable& sets_;
  ServerInside inside_;
  StateTable::Set set_, reached_;
  std::vector<Move> moves_;
  std::vector<StateTable::Offer> offers_;
};

// What the search over ideals needs to go by servers.
struct ServerExpansion {
  using Grower = ServerGrower;
  static constexpr std::size_t kWorthAThread = 2;  // sets of a level

  explicit ServerExpansion(const SearchGround& ground);
  // The pieces from the set back to the empty one, in that order, each labelled with its server's
  // run.
  std::optional<PieceChain> way_back(IdealWalk::Direction filled, const StateTable& sets,
                                     const std::vector<std::uint64_t>& set, std::uint32_t state,
                                     double value) const;
  // Labels become servers of the model.
  void number_servers(PieceChain& chain) const;

  const SearchGround& ground;
  StateSpace space;
};

}  // namespace berth
