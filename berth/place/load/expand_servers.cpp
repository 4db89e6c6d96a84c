#include "berth/place/load/expand_servers.h"

namespace berth {
namespace {

// Every server has at most so many devices of each class.
DeviceStates device_states(const LoadModel& model) {
  std::vector<std::size_t> most(model.classes.size(), 0);
  for (const LoadModel::ServerKind& kind : model.server_kinds)
    for (std::size_t c = 0; c < most.size(); ++c) most[c] = std::max(most[c], kind.devices[c]);
  return DeviceStates(std::move(most));
}

DeviceStates server_states(const LoadModel& model) {
  std::vector<std::size_t> count;
  for (const LoadModel::ServerKind& kind : model.server_kinds) count.push_back(kind.servers.size());
  return DeviceStates(std::move(count));
}

// The devices by class of the servers that a state leaves.
RemainingCapacity::DevicesLeft devices_left(const LoadModel& model, const DeviceStates& servers,
                                            std::size_t state) {
  RemainingCapacity::DevicesLeft left(model.classes.size(), 0);
  for (std::size_t k = 0; k < model.server_kinds.size(); ++k)
    for (std::size_t c = 0; c < left.size(); ++c)
      left[c] += servers.left(state, k) * model.server_kinds[k].devices[c];
  return left;
}

}  // namespace

ServerInside::ServerInside(const SearchGround& ground, IdealWalk::Direction direction,
                           Effort& effort)
    : ground_(ground),
      effort_(effort),
      space_(ground, device_states(ground.model)),
      sets_(ground.model.unit_count(), space_.used, 1),
      grower_(ground, space_, direction, sets_, effort),
      load_(ground.model, ground.workload.net_price) {
  effort.watch(sets_);
}

bool ServerInside::has_devices(std::size_t kind, std::size_t state) const {
  for (std::size_t c = 0; c < space_.states.size.size(); ++c)
    if (space_.states.used(state, c) > ground_.model.server_kinds[kind].devices[c]) return false;
  return true;
}

bool ServerInside::fill(std::span<const std::uint64_t> start, std::span<const Choice> choices) {
  start_.assign(start.begin(), start.end());
  // Of each class, the most that any choice leaves: what no choice can complete is not kept.
  std::vector<RemainingCapacity::DevicesLeft> left(
      space_.states.count, RemainingCapacity::DevicesLeft(ground_.model.classes.size(), 0));
  for (std::size_t s = 0; s < left.size(); ++s)
    for (const Choice& choice : choices) {
      if (!has_devices(choice.kind, s)) continue;
      for (std::size_t c = 0; c < left[s].size(); ++c)
        left[s][c] = std::max(left[s][c], choice.beyond[c] +
                                              ground_.model.server_kinds[choice.kind].devices[c] -
                                              space_.states.used(s, c));
    }
  space_.capacity.assign(left);
  sets_.clear();
  const StateTable::Offer nothing_used{0, 0.0};
  sets_.offer(ground_.key_of(start), start, {&nothing_used, 1});
  for (std::size_t level = 0; level < space_.levels; ++level)
    for (const StateTable::Address& at : sets_.of_level(level)) {
      if (effort_.stopped()) return false;
      grower_.expand(at, level);
    }
  return !effort_.stopped();
}

ServerInside::Whole ServerInside::whole(std::span<const std::uint64_t> set) {
  Whole result{.fits = true, .network = 0, .rest = ground_.workload.all};
  const std::size_t halves = ground_.workload.halves;
  load_.start_beside(start_);
  for (std::uint32_t u = 0; u < ground_.model.unit_count(); ++u) {
    if (((set[u / 64] >> (u % 64)) & 1) == 0) continue;
    ground_.cover(u, result.rest);
    if (((start_[u / 64] >> (u % 64)) & 1) == 0) load_.add(u);
  }
  for (std::size_t h = 0; h < halves; ++h) {
    result.rest.frontier[h] = load_.frontier(h);
    result.network = load_.network(h);
    result.fits = result.fits && result.network < ground_.limits.load[h];
  }
  return result;
}

ServerGrower::ServerGrower(const SearchGround& ground, const StateSpace& space,
                           IdealWalk::Direction direction, StateTable& sets, Effort& effort)
    : ground_(ground), space_(space), sets_(sets), inside_(ground, direction, effort) {}

void ServerGrower::expand(const StateTable::Address& at, std::size_t used) {
  sets_.read(at, set_);
  moves_.clear();
  std::vector<ServerInside::Choice> choices;
  for (const StateTable::Entry& entry : set_.entries) {
    if (space_.used[entry.state] != used) continue;
    for (std::size_t k = 0; k < space_.states.size.size(); ++k) {
      if (space_.states.left(entry.state, k) == 0) continue;
      const std::size_t to = entry.state + space_.states.stride[k];
      moves_.push_back({k, static_cast<std::uint32_t>(to), entry.value});
      choices.push_back({k, devices_left(ground_.model, space_.states, to)});
    }
  }
  if (moves_.empty() || !inside_.fill(set_.bits, choices)) return;
  for (const StateTable::Address& address : inside_.sets().all()) {
    inside_.sets().read(address, reached_);
    if (reached_.bits == set_.bits) continue;
    const ServerInside::Whole whole = inside_.whole(reached_.bits);
    if (!whole.fits) continue;
    offers_.clear();
    for (const Move& move : moves_) {
      if (!space_.capacity.enough(move.to, whole.rest)) continue;
      double inner = kInfinity;
      for (const StateTable::Entry& entry : reached_.entries)
        if (inside_.has_devices(move.kind, entry.state)) inner = std::min(inner, entry.value);
      if (inner < kInfinity)
        offers_.push_back({move.to, std::max({move.value, inner, whole.network})});
    }
    if (!offers_.empty()) sets_.offer(ground_.key_of(reached_.bits), reached_.bits, offers_);
  }
}

ServerExpansion::ServerExpansion(const SearchGround& g)
    : ground(g), space(g, server_states(g.model)) {
  std::vector<RemainingCapacity::DevicesLeft> left;
  for (std::size_t s = 0; s < space.states.count; ++s)
    left.push_back(devices_left(g.model, space.states, s));
  space.capacity.assign(left);
}

namespace {

// Walks back from a set of a table, server by server. A server is found by filling one from the
// other side: of the sets it reaches, some are in the table with a state and a value that explain
// those of this one.
class ServerBacktrack {
 public:
  ServerBacktrack(const SearchGround& ground, const StateSpace& space, IdealWalk::Direction filled,
                  const StateTable& sets)
      : ground_(ground),
        space_(space),
        sets_(sets),
        filled_(filled),
        effort_(ground.limits, unlimited_),
        inside_(ground, opposite(filled), effort_),
        slack_(kSumRounding * ground.workload.everything()),
        kinds_(static_cast<std::uint32_t>(ground.model.server_kinds.size())) {}

  std::optional<PieceChain> pieces(std::vector<std::uint64_t> set, std::uint32_t state,
                                   double value) {
    set_ = std::move(set);
    state_ = state;
    value_ = value;
    // Labels of the two ends differ, so that two servers of a kind stay two where the ends meet.
    std::uint32_t run = filled_ == IdealWalk::Direction::kUp ? 0 : 1;
    for (const std::vector<std::uint64_t> empty(ground_.words, 0); set_ != empty; run += 2)
      if (!step_back(run)) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool step_back(std::uint32_t run) {
    std::vector<ServerInside::Choice> choices;
    const std::size_t all_in_use = space_.states.count - 1;
    for (std::size_t k = 0; k < kinds_; ++k)  // in use and not this one: left by the complement
      if (space_.states.used(state_, k) > 0)
        choices.push_back({k, devices_left(ground_.model, space_.states,
                                           all_in_use - state_ + space_.states.stride[k])});
    const std::vector<std::uint64_t> start = ground_.complement(set_);
    if (!inside_.fill(start, choices)) return false;
    for (const StateTable::Address& at : inside_.sets().all()) {
      inside_.sets().read(at, reached_);
      if (reached_.bits == start) continue;
      const std::vector<std::uint64_t> below = ground_.complement(reached_.bits);
      if (!sets_.find(ground_.key_of(below), below, before_)) continue;
      const ServerInside::Whole whole = inside_.whole(reached_.bits);
      if (!whole.fits || whole.network > value_ + slack_) continue;
      for (const ServerInside::Choice& choice : choices)
        if (take(choice.kind, run, start)) {
          set_ = below;
          return true;
        }
    }
    return false;
  }

  // The set reached as one server of the kind, if its states and those before explain this one.
  bool take(std::size_t kind, std::uint32_t run, const std::vector<std::uint64_t>& start) {
    for (const StateTable::Entry& inner : reached_.entries) {
      if (inner.value > value_ + slack_ || !inside_.has_devices(kind, inner.state)) continue;
      for (const StateTable::Entry& outer : before_) {
        if (outer.state + space_.states.stride[kind] != state_ || outer.value > value_ + slack_)
          continue;
        auto chain = PieceBacktrack(ground_, inside_.space(), opposite(filled_), inside_.sets())
                         .pieces(reached_.bits, inner.state, inner.value, start);
        if (!chain) continue;
        std::ranges::reverse(chain->pieces);
        for (PieceChain::Piece& piece : chain->pieces) {
          piece.server = run * kinds_ + static_cast<std::uint32_t>(kind);
          found_.pieces.push_back(std::move(piece));
        }
        state_ = outer.state;
        value_ = outer.value;
        return true;
      }
    }
    return false;
  }

  const SearchGround& ground_;
  const StateSpace& space_;
  const StateTable& sets_;
  IdealWalk::Direction filled_;
  const Budget unlimited_{};
  Effort effort_;
  ServerInside inside_;
  double slack_;
  std::uint32_t kinds_;
  std::vector<std::uint64_t> set_;
  std::uint32_t state_ = 0;
  double value_ = 0;
  StateTable::Set reached_;
  std::vector<StateTable::Entry> before_;
  PieceChain found_;
};

}  // namespace

std::optional<PieceChain> ServerExpansion::way_back(IdealWalk::Direction filled,
                                                    const StateTable& sets,
                                                    const std::vector<std::uint64_t>& set,
                                                    std::uint32_t state, double value) const {
  IdealLimits relaxed = ground.limits;
  for (double& limit : relaxed.load) limit *= 1 + kSumRounding;
  relaxed.pairs = 0;
  const SearchGround relaxed_ground(ground.model, ground.order, relaxed);
  return ServerBacktrack(relaxed_ground, space, filled, sets).pieces(set, state, value);
}

void ServerExpansion::number_servers(PieceChain& chain) const {
  const std::uint32_t kinds = static_cast<std::uint32_t>(ground.model.server_kinds.size());
  std::vector<std::size_t> next(kinds, 0);
  std::uint32_t label = 0, server = 0;
  for (PieceChain::Piece& piece : chain.pieces) {
    if (&piece == &chain.pieces.front() || piece.server != label) {
      label = piece.server;
      server = ground.model.server_kinds[label % kinds].servers[next[label % kinds]++];
    }
    piece.server = server;
  }
}

}  // namespace berth
