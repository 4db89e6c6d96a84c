#include "berth/place/load/expand_devices.h"

namespace berth {
SearchGround::SearchGround(const LoadModel& m, const UnitOrder& o, const IdealLimits& l)
    : model(m),
      order(o),
      limits(l),
      workload(m),
      words(ideal_words(m.unit_count())),
      full(words, 0),
      keys(ideal_keys(m.unit_count())) {
  for (std::uint32_t u = 0; u < m.unit_count(); ++u) full[u / 64] |= std::uint64_t{1} << (u % 64);
  for (const std::uint64_t key : keys) full_key ^= key;
}

std::uint64_t SearchGround::key_of(std::span<const std::uint64_t> set) const {
  std::uint64_t key = 0;
  for (std::uint32_t u = 0; u < keys.size(); ++u)
    if ((set[u / 64] >> (u % 64)) & 1) key ^= keys[u];
  return key;
}

StateSpace::StateSpace(const SearchGround& ground, DeviceStates of)
    : states(std::move(of)), capacity(ground.model, ground.workload, ground.limits.load) {
  for (std::size_t s = 0; s < states.count; ++s) {
    std::size_t all = 0;
    for (std::size_t c = 0; c < states.size.size(); ++c) all += states.used(s, c);
    used.push_back(all);
  }
  for (const std::size_t size : states.size) levels += size;
}

PieceGrower::PieceGrower(const SearchGround& ground, const StateSpace& space,
                         IdealWalk::Direction direction, StateTable& sets, Effort& effort)
    : ground_(ground),
      space_(space),
      sets_(sets),
      effort_(effort),
      walk_(ground.order, direction),
      load_(ground.model, ground.workload.net_price),
      open_(ground.model.classes.size(), 0) {}

void PieceGrower::expand(const StateTable::Address& at, std::size_t used) {
  sets_.read(at, set_);
  walk_.enter(set_.bits);
  load_.start_beside(walk_.bits());
  rest_.assign(1, ground_.workload.all);
  for (std::uint32_t u = 0; u < ground_.model.unit_count(); ++u)
    if (walk_.holds(u)) ground_.cover(u, rest_.back());
  find_moves(used);
  if (!moves_.empty()) walk_.grow(*this);
  effort_.spend(std::exchange(pairs_, 0));
}

// From every state that is worth leaving, by every class that has devices left.
void PieceGrower::find_moves(std::size_t used) {
  moves_.clear();
  std::fill(open_.begin(), open_.end(), std::size_t{0});
  most_rest_ = 0;
  Rest& rest = rest_.back();
  for (std::size_t h = 0; h < ground_.workload.halves; ++h) rest.frontier[h] = load_.frontier(h);
  for (std::size_t c = 0; c < open_.size(); ++c)
    for (std::size_t r = 1; r <= std::min(ground_.model.replicas, space_.states.size[c]); ++r)
      for (const StateTable::Entry& entry : set_.entries) {
        if (space_.used[entry.state] != used || space_.states.left(entry.state, c) < r) continue;
        if (!space_.capacity.enough(entry.state, rest) || is_beaten(entry)) continue;
        const std::size_t to = entry.state + r * space_.states.stride[c];
        moves_.push_back({c, r, static_cast<std::uint32_t>(to), entry.value});
        open_[c] = r;
        most_rest_ = std::max(most_rest_, space_.capacity.most_work(to));
      }
}

// Whether another state has the value or a better one with no more devices in use.
bool PieceGrower::is_beaten(const StateTable::Entry& entry) const {
  return std::ranges::any_of(set_.entries, [&](const StateTable::Entry& other) {
    if (other.state == entry.state || other.value > entry.value) return false;
    for (std::size_t c = 0; c < open_.size(); ++c)
      if (space_.states.used(other.state, c) > space_.states.used(entry.state, c)) return false;
    return true;
  });
}

PieceBacktrack::PieceBacktrack(const SearchGround& ground, const StateSpace& space,
                               IdealWalk::Direction filled, const StateTable& sets)
    : ground_(ground),
      space_(space),
      sets_(sets),
      walk_(ground.order, opposite(filled)),
      load_(ground.model),
      slack_(kSumRounding * ground.workload.everything()) {
  // The same load, summed up along another walk, differs in the last bits.
  for (std::size_t h = 0; h < ground.workload.halves; ++h)
    relaxed_[h] = ground.limits.load[h] * (1 + kSumRounding);
}

std::optional<PieceChain> PieceBacktrack::pieces(std::vector<std::uint64_t> set,
                                                 std::uint32_t state, double value,
                                                 const std::vector<std::uint64_t>& start) {
  PieceChain found;
  while (set != start) {
    state_ = state;
    value_ = value;
    walk_.enter(ground_.complement(set));
    load_.start_beside(walk_.bits());
    if (walk_.grow(*this)) return std::nullopt;
    found.pieces.push_back({{load_.units().begin(), load_.units().end()}, class_, replicas_});
    set = ground_.complement(walk_.bits());
    state = before_.state;
    value = before_.value;
  }
  return found;
}

bool PieceBacktrack::take(std::uint32_t unit) {
  load_.add(unit);
  for (std::size_t c = 0; c < ground_.model.classes.size(); ++c)
    for (std::size_t r = 1; r <= most_replicas(c); ++r)
      if (load_.may_still_fit(c, relaxed_, r)) return true;
  load_.remove();
  return false;
}

bool PieceBacktrack::reached() {
  const std::size_t half = ground_.workload.halves - 1;
  bool known = false;
  for (std::uint32_t c = 0; c < ground_.model.classes.size(); ++c)
    for (std::size_t r = 1; r <= most_replicas(c); ++r) {
      if (!load_.fits(c, relaxed_, r) || load_.load(c, half, r) > value_ + slack_) continue;
      if (!known &&
          !sets_.find(ground_.full_key ^ walk_.key(), ground_.complement(walk_.bits()), entries_))
        return true;
      known = true;
      const std::size_t from = state_ - r * space_.states.stride[c];
      for (const StateTable::Entry& entry : entries_)
        if (entry.state == from && entry.value <= value_ + slack_) {
          before_ = entry;
          class_ = c;
          replicas_ = static_cast<std::uint32_t>(r);
          return false;
        }
    }
  return true;
}

std::size_t PieceBacktrack::most_replicas(std::size_t c) const {
  return std::min(ground_.model.replicas, space_.states.used(state_, c));
}

}  // namespace berth
