#include "berth/place/exact/ideal_search.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "berth/graph/ideal_walk.h"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-11;  // of sums in different orders; well within kJustBelow
constexpr std::size_t kEntryBytes = 16;
constexpr std::size_t kFewIdeals = 64;  // of one level: not worth a thread

// What is not covered yet.
struct Rest {
  double work[2] = {0, 0}, frontier[2] = {0, 0};
  std::int64_t bytes = 0;
};

// What the devices left in a state can take within the limit.
class Rooms {
 public:
  Rooms(const LoadModel& model, const DeviceStates& states, const LoadModel::Halves& limit)
      : halves_(model.halves_apart ? 2 : 1) {
    for (std::size_t h = 0; h < halves_; ++h) prepare_half(model, h);
    for (const LoadModel::Unit& unit : model.units) all_.bytes += unit.bytes;
    rooms_.resize(states.count);
    for (std::size_t s = 0; s < states.count; ++s) {
      Room& room = rooms_[s];
      for (std::size_t c = 0; c < model.classes.size(); ++c) {
        const double left = static_cast<double>(states.left(s, c));
        if (left == 0) continue;
        room.bytes += model.classes[c].memory ? left * static_cast<double>(*model.classes[c].memory)
                                              : kInfinity;
        for (std::size_t h = 0; h < halves_; ++h) {
          room.work[h] += std::isfinite(limit[h]) ? left * speed_[h][c] * limit[h] : kInfinity;
          room.frontier[h] += std::isfinite(limit[h]) ? left * relief_[h][c] * limit[h] : kInfinity;
        }
      }
      room.bytes *= 1 + 1e-12;
      for (std::size_t h = 0; h < halves_; ++h) {
        // Differences of sums: what is left of nothing may be a little above zero.
        room.work[h] = room.work[h] * (1 + 1e-12) + 1e-9 * all_.work[h];
        room.frontier[h] = room.frontier[h] * (1 + 1e-12) + 1e-9 * (all_.work[h] + all_nets_[h]);
      }
    }
  }

  bool enough(std::size_t state, const Rest& rest) const {
    const Room& room = rooms_[state];
    if (static_cast<double>(rest.bytes) > room.bytes) return false;
    for (std::size_t h = 0; h < halves_; ++h)
      if (rest.work[h] > room.work[h] || rest.work[h] + rest.frontier[h] > room.frontier[h])
        return false;
    return true;
  }

  // More than any sum of loads comes to, about.
  double everything() const { return all_.work[0] + all_.work[1] + all_nets_[0] + all_nets_[1]; }
  // Of half 0, that may be left in the state.
  double most_work(std::size_t state) const { return rooms_[state].work[0]; }
  std::size_t halves() const { return halves_; }
  const Rest& all() const { return all_; }
  double work(std::uint32_t unit, std::size_t half) const { return work_[half][unit]; }
  std::span<const double> net_price() const { return net_price_; }

 private:
  struct Room {
    double work[2] = {0, 0}, frontier[2] = {0, 0}, bytes = 0;
  };

  void prepare_half(const LoadModel& model, std::size_t h) {
    work_[h] = unit_work(model, h);
    speed_[h] = class_speeds(model, h);
    relief_[h] = speed_[h];
    for (const double w : work_[h]) all_.work[h] += w;
    net_price_.resize(model.nets.size(), 0.0);
    // Overlapped transfers may hide behind compute: the frontier is free then.
    if (model.overlap != Overlap::kSum) return;
    for (std::size_t n = 0; n < model.nets.size(); ++n) {
      const LoadModel::Net& net = model.nets[n];
      if (net.half != h) continue;
      double least = kInfinity;
      for (std::size_t c = 0; c < model.classes.size(); ++c) {
        if (model.classes[c].price < 0) continue;
        const std::size_t price = static_cast<std::size_t>(model.classes[c].price);
        least = std::min(least, speed_[h][c] * std::min(net.read[price], net.write[price]));
      }
      net_price_[n] = std::isfinite(least) ? least : 0.0;
      all_nets_[h] += net_price_[n];
    }
    // A device that pays nothing spares the others the nets of the units it runs.
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      if (model.classes[c].price >= 0) continue;
      for (std::uint32_t u = 0; u < model.unit_count(); ++u) {
        const double time = model.units[u].time[c][h];
        if (!std::isfinite(model.units[u].time[c][0] + time)) continue;
        double spared = work_[h][u];
        for (const std::uint32_t net : model.units[u].nets)
          if (model.nets[net].half == h) spared += net_price_[net];
        if (spared > 0) relief_[h][c] = std::max(relief_[h][c], spared / time);
      }
    }
  }

  std::size_t halves_;
  std::vector<double> work_[2], speed_[2], relief_[2], net_price_;
  double all_nets_[2] = {0, 0};
  Rest all_;
  std::vector<Room> rooms_;
};

// Everything a search knows before it starts.
struct Setting {
  Setting(const LoadModel& m, const IdealLimits& l)
      : model(m), limits(l), order(unit_order(m)), states(m), rooms(m, states, l.load),
        words(ideal_words(m.unit_count())), full(words, 0) {
    for (std::uint32_t u = 0; u < m.unit_count(); ++u) full[u / 64] |= std::uint64_t{1} << (u % 64);
    for (const std::uint64_t key : ideal_keys(m.unit_count())) full_key ^= key;
    for (std::size_t s = 0; s < states.count; ++s) {
      std::size_t devices = 0;
      for (std::size_t c = 0; c < m.classes.size(); ++c) devices += states.used(s, c);
      used.push_back(devices);
    }
    for (const DeviceClass& c : m.classes) {
      device_count += c.count();
    }
    for (std::size_t c = 0; c < m.classes.size(); ++c) most_replicas.push_back(berth::most_replicas(m, c));
  }
  std::vector<std::uint64_t> complement(std::span<const std::uint64_t> set) const {
    std::vector<std::uint64_t> result(words);
    for (std::size_t w = 0; w < words; ++w) result[w] = full[w] & ~set[w];
    return result;
  }

  const LoadModel& model;
  const IdealLimits& limits;
  UnitOrder order;
  DeviceStates states;
  Rooms rooms;
  std::size_t words, device_count = 0;
  std::vector<std::uint64_t> full;
  std::uint64_t full_key = 0;
  std::vector<std::size_t> used;           // devices, by state
  std::vector<std::size_t> most_replicas;  // by class
};

// The sets reached from one end, with the value of each state reached.
class Table {
 public:
  struct Entry {
    std::uint32_t state, next;  // next entry of the same set
    double value;
  };
  struct Set {
    std::vector<std::uint64_t> bits;
    std::vector<Entry> entries;
  };
  struct Address {
    std::uint32_t shard, set;
  };

  Table(const Setting& setting, std::size_t shards) : setting_(setting) {
    for (std::size_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(setting));
  }

  struct Offer {
    std::uint32_t state;
    double value;
  };
  void offer(std::uint64_t key, std::span<const std::uint64_t> bits, std::span<const Offer> offers) {
    Shard& shard = *shards_[shard_of(key)];
    const std::lock_guard lock(shard.mutex);
    const std::uint32_t set = shard.table.insert(key, bits);
    if (set == shard.head.size()) {
      shard.head.push_back(IdealTable::kNone);
      ideals_.fetch_add(1, std::memory_order_relaxed);
    }
    for (const Offer& offer : offers) {
      const std::size_t used = setting_.used[offer.state];
      bool listed = false;
      std::uint32_t at = shard.head[set];
      for (; at != IdealTable::kNone && shard.entries[at].state != offer.state;
           at = shard.entries[at].next)
        listed = listed || setting_.used[shard.entries[at].state] == used;
      if (at != IdealTable::kNone) {
        shard.entries[at].value = std::min(shard.entries[at].value, offer.value);
        continue;
      }
      shard.entries.push_back({offer.state, shard.head[set], offer.value});
      shard.head[set] = static_cast<std::uint32_t>(shard.entries.size() - 1);
      if (!listed) shard.levels[used].push_back(set);
      entries_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // All sets with a state that has so many devices in use.
  std::vector<Address> of_level(std::size_t used) const {
    std::vector<Address> all;
    for (std::uint32_t s = 0; s < shards_.size(); ++s)
      for (const std::uint32_t set : shards_[s]->levels[used]) all.push_back({s, set});
    return all;
  }
  std::size_t level_size(std::size_t used) const {
    std::size_t size = 0;
    for (const std::unique_ptr<Shard>& shard : shards_) size += shard->levels[used].size();
    return size;
  }
  std::vector<Address> all() const {
    std::vector<Address> all;
    for (std::uint32_t s = 0; s < shards_.size(); ++s)
      for (std::uint32_t set = 0; set < shards_[s]->head.size(); ++set) all.push_back({s, set});
    return all;
  }
  // A copy: others may be adding to the shard.
  void read(const Address& at, Set& into) const {
    Shard& shard = *shards_[at.shard];
    const std::lock_guard lock(shard.mutex);
    const std::span<const std::uint64_t> bits = shard.table.bits(at.set);
    into.bits.assign(bits.begin(), bits.end());
    collect(shard, at.set, into.entries);
  }
  bool find(std::uint64_t key, std::span<const std::uint64_t> bits,
            std::vector<Entry>& entries) const {
    const Shard& shard = *shards_[shard_of(key)];
    const std::uint32_t set = shard.table.find(key, bits);
    if (set == IdealTable::kNone) return false;
    collect(shard, set, entries);
    return true;
  }

  std::size_t ideals() const { return ideals_.load(std::memory_order_relaxed); }
  std::size_t entries() const { return entries_.load(std::memory_order_relaxed); }

 private:
  struct Shard {
    explicit Shard(const Setting& setting)
        : table(setting.model.unit_count()), levels(setting.device_count + 1) {}
    std::mutex mutex;
    IdealTable table;
    std::vector<std::uint32_t> head;                 // first entry of each set
    std::vector<Entry> entries;
    std::vector<std::vector<std::uint32_t>> levels;  // sets by devices in use
  };
  std::size_t shard_of(std::uint64_t key) const { return (key >> 48) % shards_.size(); }
  static void collect(const Shard& shard, std::uint32_t set, std::vector<Entry>& entries) {
    entries.clear();
    for (std::uint32_t at = shard.head[set]; at != IdealTable::kNone; at = shard.entries[at].next)
      entries.push_back(shard.entries[at]);
  }

  const Setting& setting_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::size_t> ideals_ = 0, entries_ = 0;
};

// What a search has spent, over all threads, and whether it must end.
class Effort {
 public:
  Effort(const Setting& setting, const Budget& budget, const Table& up, const Table& down)
      : setting_(setting), budget_(budget), up_(up), down_(down) {}

  // Whether the limits on pairs, memory and budget still hold. Every search that comes to its end
  // looks at the same pairs and keeps the same sets, so the threads do not decide which one does.
  bool spend(std::uint64_t pairs) {
    const std::uint64_t all = pairs_.fetch_add(pairs, std::memory_order_relaxed) + pairs;
    if ((setting_.limits.pairs > 0 && all > setting_.limits.pairs) || out_of_memory() ||
        budget_.spent())
      stopped_ = true;
    return !stopped_;
  }
  bool stopped() const { return stopped_; }
  bool out_of_memory() const {
    const std::size_t per_set = bytes_per_ideal(setting_.model) - 2 * kEntryBytes;
    return (up_.ideals() + down_.ideals()) * per_set +
               (up_.entries() + down_.entries()) * 2 * kEntryBytes >
           setting_.limits.bytes;
  }
  std::uint64_t pairs() const { return pairs_; }

 private:
  const Setting& setting_;
  const Budget& budget_;
  const Table &up_, &down_;
  std::atomic<std::uint64_t> pairs_ = 0;
  std::atomic<bool> stopped_ = false;
};

// Grows pieces on the sets of one table; one for each thread.
class Grower {
 public:
  Grower(const Setting& setting, IdealWalk::Direction direction, Table& table, Effort& effort)
      : setting_(setting), table_(table), effort_(effort), walk_(setting.order, direction),
        load_(setting.model, setting.rooms.net_price()), open_(setting.model.classes.size(), 0) {}

  // From the states of the set with so many devices in use.
  void expand(const Table::Address& at, std::size_t used) {
    table_.read(at, set_);
    walk_.enter(set_.bits);
    load_.start_beside(walk_.bits());
    rest_.assign(1, setting_.rooms.all());
    for (std::uint32_t u = 0; u < setting_.model.unit_count(); ++u)
      if (walk_.holds(u)) cover(u, rest_.back());
    find_moves(used);
    if (!moves_.empty()) walk_.grow(*this);
    effort_.spend(std::exchange(pairs_, 0));
  }

  // What the walk asks (graph/ideal_walk.h): the units added make one piece.
  bool take(std::uint32_t unit) {
    if (!quickly_may_fit(unit)) return false;
    load_.add(unit);
    ++pairs_;
    if (!may_still_fit()) {
      load_.remove();
      return false;
    }
    rest_.push_back(rest_.back());
    cover(unit, rest_.back());
    return true;
  }
  bool reached() {
    if (pairs_ >= kPairsPerLook && !effort_.spend(std::exchange(pairs_, 0))) return false;
    Rest& rest = rest_.back();
    if (rest.work[0] > most_rest_) return true;  // too little for any move
    for (std::size_t h = 0; h < setting_.rooms.halves(); ++h) rest.frontier[h] = load_.frontier(h);
    const std::size_t half = setting_.rooms.halves() - 1;
    offers_.clear();
    std::size_t judged_class = kNoClass, judged_replicas = 0;
    bool fits = false;
    for (const Move& move : moves_) {
      if (!setting_.rooms.enough(move.to, rest)) continue;
      if (move.device_class != judged_class || move.replicas != judged_replicas) {
        judged_class = move.device_class;
        judged_replicas = move.replicas;
        fits = load_.fits(judged_class, setting_.limits.load, judged_replicas);
      }
      if (!fits) continue;
      const double own = load_.load(move.device_class, half, move.replicas);
      offers_.push_back({move.to, std::max(move.value, own)});
    }
    if (!offers_.empty()) table_.offer(walk_.key(), walk_.bits(), offers_);
    return true;
  }
  void give_back(std::uint32_t) {
    rest_.pop_back();
    load_.remove();
  }

 private:
  static constexpr std::uint64_t kPairsPerLook = 4096;
  static constexpr std::size_t kNoClass = std::numeric_limits<std::size_t>::max();
  struct Move {
    std::size_t device_class, replicas;
    std::uint32_t to;
    double value;
  };

  void cover(std::uint32_t unit, Rest& rest) const {
    for (std::size_t h = 0; h < setting_.rooms.halves(); ++h)
      rest.work[h] -= setting_.rooms.work(unit, h);
    rest.bytes -= setting_.model.units[unit].bytes;
  }

  // From every state that is worth leaving, by every class that has devices left.
  void find_moves(std::size_t used) {
    moves_.clear();
    std::fill(open_.begin(), open_.end(), std::size_t{0});
    most_rest_ = 0;
    Rest& rest = rest_.back();
    for (std::size_t h = 0; h < setting_.rooms.halves(); ++h) rest.frontier[h] = load_.frontier(h);
    for (std::size_t c = 0; c < open_.size(); ++c)
      for (std::size_t r = 1; r <= setting_.most_replicas[c]; ++r)
        for (const Table::Entry& entry : set_.entries) {
          if (setting_.used[entry.state] != used || setting_.states.left(entry.state, c) < r) continue;
          if (!setting_.rooms.enough(entry.state, rest) || is_beaten(entry)) continue;
          const std::size_t to = entry.state + r * setting_.states.stride[c];
          moves_.push_back({c, r, static_cast<std::uint32_t>(to), entry.value});
          open_[c] = r;
          most_rest_ = std::max(most_rest_, setting_.rooms.most_work(to));
        }
  }
  // Whether another state has the value or a better one with no more devices in use.
  bool is_beaten(const Table::Entry& entry) const {
    return std::any_of(set_.entries.begin(), set_.entries.end(), [&](const Table::Entry& other) {
      if (other.state == entry.state || other.value > entry.value) return false;
      for (std::size_t c = 0; c < open_.size(); ++c)
        if (setting_.states.used(other.state, c) > setting_.states.used(entry.state, c)) return false;
      return true;
    });
  }

  // By compute alone, before any net is touched: most attempts end here.
  bool quickly_may_fit(std::uint32_t unit) const {
    for (std::size_t c = 0; c < open_.size(); ++c)
      if (open_[c] > 0 && load_.compute(c) + load_.compute_of(unit, c) <
                              setting_.limits.load[0] * static_cast<double>(open_[c]))
        return true;
    return false;
  }
  bool may_still_fit() const {
    for (std::size_t c = 0; c < open_.size(); ++c)
      for (std::size_t r = 1; r <= open_[c]; ++r)
        if (load_.may_still_fit(c, setting_.limits.load, r)) return true;
    return false;
  }

  const Setting& setting_;
  Table& table_;
  Effort& effort_;
  IdealWalk walk_;
  PieceLoad load_;
  Table::Set set_;
  std::vector<Rest> rest_;          // what is left, as the piece grows
  std::vector<Move> moves_;
  std::vector<std::size_t> open_;   // most replicas that a move may take, by class
  double most_rest_ = 0;            // of forward work, after any move
  std::vector<Table::Offer> offers_;
  std::uint64_t pairs_ = 0;         // since the last look at the limits
};

// Walks back from a set of a table along the pieces that gave it its value.
class Backtrack {
 public:
  // A table filled upwards is walked back downwards, and the other way round.
  Backtrack(const Setting& setting, IdealWalk::Direction filled, const Table& table)
      : setting_(setting), table_(table),
        walk_(setting.order, filled == IdealWalk::Direction::kUp ? IdealWalk::Direction::kDown
                                                                 : IdealWalk::Direction::kUp),
        load_(setting.model), slack_(kRounding * setting.rooms.everything()) {
    // The same load, summed up along another walk, differs in the last bits.
    for (double& limit : relaxed_) limit = kInfinity;
    for (std::size_t h = 0; h < setting.rooms.halves(); ++h)
      relaxed_[h] = setting.limits.load[h] * (1 + kRounding);
  }

  // Pieces from the given set back to the empty one; empty if the table has no such way.
  std::optional<std::vector<PieceChain::Piece>> pieces(std::vector<std::uint64_t> set,
                                                       std::uint32_t state, double value) {
    std::vector<PieceChain::Piece> found;
    while (std::any_of(set.begin(), set.end(), [](std::uint64_t w) { return w != 0; })) {
      state_ = state;
      value_ = value;
      walk_.enter(setting_.complement(set));
      load_.start_beside(walk_.bits());
      if (walk_.grow(*this)) return std::nullopt;
      found.push_back({{load_.units().begin(), load_.units().end()}, class_, replicas_});
      set = setting_.complement(walk_.bits());
      state = before_.state;
      value = before_.value;
    }
    return found;
  }

  bool take(std::uint32_t unit) {
    load_.add(unit);
    for (std::size_t c = 0; c < setting_.model.classes.size(); ++c)
      for (std::size_t r = 1; r <= most_replicas(c); ++r)
        if (load_.may_still_fit(c, relaxed_, r)) return true;
    load_.remove();
    return false;
  }
  bool reached() {
    const std::size_t half = setting_.rooms.halves() - 1;
    bool known = false;
    for (std::uint32_t c = 0; c < setting_.model.classes.size(); ++c)
      for (std::size_t r = 1; r <= most_replicas(c); ++r) {
        if (!load_.fits(c, relaxed_, r) || load_.load(c, half, r) > value_ + slack_) continue;
        if (!known && !table_.find(setting_.full_key ^ walk_.key(), setting_.complement(walk_.bits()),
                                   entries_))
          return true;
        known = true;
        const std::size_t from = state_ - r * setting_.states.stride[c];
        for (const Table::Entry& entry : entries_)
          if (entry.state == from && entry.value <= value_ + slack_) {
            before_ = entry;
            class_ = c;
            replicas_ = static_cast<std::uint32_t>(r);
            return false;
          }
      }
    return true;
  }
  void give_back(std::uint32_t) { load_.remove(); }

 private:
  std::size_t most_replicas(std::size_t c) const {
    return std::min(setting_.most_replicas[c], setting_.states.used(state_, c));
  }

  const Setting& setting_;
  const Table& table_;
  IdealWalk walk_;
  PieceLoad load_;
  double slack_;
  LoadModel::Halves relaxed_;
  std::size_t state_ = 0;
  double value_ = 0;
  std::vector<Table::Entry> entries_;
  Table::Entry before_{};
  std::uint32_t class_ = 0, replicas_ = 1;
};

// One end of the search.
struct End {
  End(const Setting& setting, IdealWalk::Direction way, std::size_t shards)
      : direction(way), table(setting, shards) {
    const Table::Offer start{0, 0.0};
    table.offer(0, std::vector<std::uint64_t>(setting.words, 0), {&start, 1});
  }
  // What the next level costs, if its sets are like those before.
  double next_cost() const {
    return static_cast<double>(table.level_size(level)) * static_cast<double>(pairs + 1) /
           static_cast<double>(expanded + 1);
  }

  IdealWalk::Direction direction;
  Table table;
  std::size_t level = 0;  // states with fewer devices in use have been expanded
  std::uint64_t pairs = 0, expanded = 0;
  std::vector<std::unique_ptr<Grower>> growers{};
};

class Search {
 public:
  Search(const LoadModel& model, const IdealLimits& limits, const Budget& budget)
      : setting_(model, limits), shards_(limits.threads > 1 ? 16 : 1),
        up_(setting_, IdealWalk::Direction::kUp, shards_),
        down_(setting_, IdealWalk::Direction::kDown, shards_),
        effort_(setting_, budget, up_.table, down_.table) {}

  IdealSearch run() {
    using enum IdealSearch::Verdict;
    IdealSearch result;
    result.verdict = fill();
    if (result.verdict == kFound) result.verdict = join() ? kFound : kImpossible;
    if (result.verdict == kFound) result.best = recover();
    if (result.verdict == kFound && !result.best) result.verdict = kStopped;
    result.ideals = up_.table.ideals() + down_.table.ideals();
    result.pairs = effort_.pairs();
    return result;
  }

 private:
  // Level by level from the end where the next one is cheaper, until both have all devices between
  // them, or one has nothing left to grow. kFound: the tables are complete.
  IdealSearch::Verdict fill() {
    const auto skip_empty = [&](End& end) {
      while (end.level < setting_.device_count && end.table.level_size(end.level) == 0) ++end.level;
      return end.level < setting_.device_count;
    };
    while (skip_empty(up_) && skip_empty(down_) && up_.level + down_.level < setting_.device_count) {
      End& end = up_.next_cost() <= down_.next_cost() ? up_ : down_;
      expand_level(end);
      if (effort_.stopped())
        return effort_.out_of_memory() ? IdealSearch::Verdict::kOutOfMemory
                                       : IdealSearch::Verdict::kStopped;
      ++end.level;
    }
    return IdealSearch::Verdict::kFound;
  }

  void expand_level(End& end) {
    const std::vector<Table::Address> sets = end.table.of_level(end.level);
    const std::size_t threads = sets.size() < kFewIdeals ? 1 : setting_.limits.threads;
    while (end.growers.size() < threads)
      end.growers.push_back(std::make_unique<Grower>(setting_, end.direction, end.table, effort_));
    const std::uint64_t before = effort_.pairs();
    std::atomic<std::size_t> next = 0;
    const auto work = [&](Grower& grower) {
      for (std::size_t i; !effort_.stopped() && (i = next.fetch_add(1)) < sets.size();)
        grower.expand(sets[i], end.level);
    };
    std::vector<std::future<void>> others;
    for (std::size_t t = 1; t < threads; ++t)
      others.push_back(std::async(std::launch::async, [&, t] { work(*end.growers[t]); }));
    work(*end.growers.front());
    for (std::future<void>& other : others) other.get();
    end.pairs += effort_.pairs() - before;
    end.expanded += sets.size();
  }

  // The best pair of a set from below and its complement from above, whose devices suffice.
  bool join() {
    Table::Set below;
    std::vector<Table::Entry> above;
    for (const Table::Address& at : up_.table.all()) {
      up_.table.read(at, below);
      std::uint64_t key = setting_.full_key;
      for (std::uint32_t u = 0; u < setting_.model.unit_count(); ++u)
        if ((below.bits[u / 64] >> (u % 64)) & 1) key ^= keys_[u];
      if (!down_.table.find(key, setting_.complement(below.bits), above)) continue;
      for (const Table::Entry& a : below.entries)
        for (const Table::Entry& b : above) consider(below.bits, a, b);
    }
    return joint_.value < kInfinity;
  }
  void consider(const std::vector<std::uint64_t>& bits, const Table::Entry& below,
                const Table::Entry& above) {
    for (std::size_t c = 0; c < setting_.model.classes.size(); ++c)
      if (setting_.states.used(above.state, c) > setting_.states.left(below.state, c)) return;
    Joint joint{std::max(below.value, above.value), bits, below.state, above.state, below.value,
                above.value};
    if (joint < joint_) joint_ = std::move(joint);
  }

  std::optional<PieceChain> recover() const {
    auto first = Backtrack(setting_, IdealWalk::Direction::kUp, up_.table)
                     .pieces(joint_.below, joint_.state_below, joint_.value_below);
    auto second = Backtrack(setting_, IdealWalk::Direction::kDown, down_.table)
                      .pieces(setting_.complement(joint_.below), joint_.state_above, joint_.value_above);
    assert(first && second && "the tables hold a chain to every set in them");
    if (!first || !second) return std::nullopt;
    std::reverse(first->begin(), first->end());
    first->insert(first->end(), second->begin(), second->end());
    return PieceChain{std::move(*first)};
  }

  struct Joint {
    double value = kInfinity;
    std::vector<std::uint64_t> below{};
    std::uint32_t state_below = 0, state_above = 0;
    double value_below = 0, value_above = 0;
    friend auto operator<=>(const Joint&, const Joint&) = default;
  };

  Setting setting_;
  std::size_t shards_;
  End up_, down_;
  Effort effort_;
  std::vector<std::uint64_t> keys_ = ideal_keys(setting_.model.unit_count());
  Joint joint_;
};

}  // namespace

std::size_t bytes_per_ideal(const LoadModel& model) {
  // Bits and key; hash slots; first entry; place in its layer; one entry. Twice, for room to grow.
  return 2 * (8 * ideal_words(model.unit_count()) + 8 + 8 + 4 + 4 + kEntryBytes);
}

IdealSearch search_ideals(const LoadModel& model, const IdealLimits& limits, const Budget& budget) {
  return Search(model, limits, budget).run();
}

}  // namespace berth
