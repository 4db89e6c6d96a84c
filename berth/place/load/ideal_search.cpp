#include "berth/place/load/ideal_search.h"

#include <atomic>

#include "berth/base/parallel.h"
#include "berth/place/load/expand_servers.h"

namespace berth {
namespace {

// A device more at each step: the whole cluster is one server.
struct DeviceSteps {
  using Grower = PieceGrower;
  static constexpr std::size_t kWorthAThread = 64;  // sets of a level

  explicit DeviceSteps(const SearchGround& g) : ground(g), space(g, DeviceStates(g.model)) {
    std::vector<RemainingCapacity::DevicesLeft> left(space.states.count);
    for (std::size_t s = 0; s < left.size(); ++s)
      for (std::size_t c = 0; c < g.model.classes.size(); ++c)
        left[s].push_back(space.states.left(s, c));
    space.capacity.assign(left);
  }
  // The pieces from the set back to the empty one, in that order.
  std::optional<PieceChain> way_back(IdealWalk::Direction filled, const StateTable& sets,
                                     const std::vector<std::uint64_t>& set, std::uint32_t state,
                                     double value) const {
    return PieceBacktrack(ground, space, filled, sets)
        .pieces(set, state, value, std::vector<std::uint64_t>(ground.words, 0));
  }
  void number_servers(PieceChain&) const {}

  const SearchGround& ground;
  StateSpace space;
};

// One end of the search.
template <class Steps>
struct End {
  End(const SearchGround& ground, const Steps& steps, IdealWalk::Direction way, std::size_t shards)
      : direction(way), sets(ground.model.unit_count(), steps.space.used, shards) {
    const StateTable::Offer start{0, 0.0};
    sets.offer(0, std::vector<std::uint64_t>(ground.words, 0), {&start, 1});
  }
  // What the next level costs, if its sets are like those before.
  double next_cost() const {
    return static_cast<double>(sets.level_size(level)) * static_cast<double>(pairs + 1) /
           static_cast<double>(expanded + 1);
  }

  IdealWalk::Direction direction;
  StateTable sets;
  std::size_t level = 0;  // states with less in use have been expanded
  std::uint64_t pairs = 0, expanded = 0;
  std::vector<std::unique_ptr<typename Steps::Grower>> growers{};
};

template <class Steps>
class Search {
 public:
  Search(const SearchGround& ground, const Budget& budget)
      : ground_(ground),
        steps_(ground),
        shards_(ground.limits.threads > 1 ? 16 : 1),
        up_(ground, steps_, IdealWalk::Direction::kUp, shards_),
        down_(ground, steps_, IdealWalk::Direction::kDown, shards_),
        effort_(ground.limits, budget) {
    effort_.watch(up_.sets);
    effort_.watch(down_.sets);
  }

  IdealSearch run() {
    using enum IdealSearch::Verdict;
    IdealSearch result;
    result.verdict = fill();
    if (result.verdict == kFound) result.verdict = join() ? kFound : kImpossible;
    if (result.verdict == kFound) result.best = recover();
    if (result.verdict == kFound && !result.best) result.verdict = kStopped;
    result.ideals = up_.sets.ideals() + down_.sets.ideals();
    result.pairs = effort_.pairs();
    return result;
  }

 private:
  // Level by level from the end where the next one is cheaper, until both have everything in use
  // between them, or one has nothing left to grow. kFound: the tables are complete.
  IdealSearch::Verdict fill() {
    const std::size_t levels = steps_.space.levels;
    const auto skip_empty = [&](End<Steps>& end) {
      while (end.level < levels && end.sets.level_size(end.level) == 0) ++end.level;
      return end.level < levels;
    };
    while (skip_empty(up_) && skip_empty(down_) && up_.level + down_.level < levels) {
      End<Steps>& end = up_.next_cost() <= down_.next_cost() ? up_ : down_;
      expand_level(end);
      if (effort_.stopped())
        return effort_.out_of_memory() ? IdealSearch::Verdict::kOutOfMemory
                                       : IdealSearch::Verdict::kStopped;
      ++end.level;
    }
    return IdealSearch::Verdict::kFound;
  }

  void expand_level(End<Steps>& end) {
    const std::vector<StateTable::Address> sets = end.sets.of_level(end.level);
    const std::size_t threads = sets.size() < Steps::kWorthAThread ? 1 : ground_.limits.threads;
    while (end.growers.size() < threads)
      end.growers.push_back(std::make_unique<typename Steps::Grower>(
          ground_, steps_.space, end.direction, end.sets, effort_));
    const std::uint64_t before = effort_.pairs();
    std::atomic<std::size_t> next = 0;
    on_threads(threads, [&](std::size_t worker) {
      for (std::size_t i; !effort_.stopped() && (i = next.fetch_add(1)) < sets.size();)
        end.growers[worker]->expand(sets[i], end.level);
    });
    end.pairs += effort_.pairs() - before;
    end.expanded += sets.size();
  }

  // The best pair of a set from below and its complement from above that do not use too much.
  bool join() {
    StateTable::Set below;
    std::vector<StateTable::Entry> above;
    for (const StateTable::Address& at : up_.sets.all()) {
      up_.sets.read(at, below);
      const std::uint64_t key = ground_.full_key ^ ground_.key_of(below.bits);
      if (!down_.sets.find(key, ground_.complement(below.bits), above)) continue;
      for (const StateTable::Entry& a : below.entries)
        for (const StateTable::Entry& b : above) consider(below.bits, a, b);
    }
    return joint_.value < kInfinity;
  }
  void consider(const std::vector<std::uint64_t>& bits, const StateTable::Entry& below,
                const StateTable::Entry& above) {
    const DeviceStates& states = steps_.space.states;
    for (std::size_t c = 0; c < states.size.size(); ++c)
      if (states.used(above.state, c) > states.left(below.state, c)) return;
    Joint joint{std::max(below.value, above.value),
                bits,
                below.state,
                above.state,
                below.value,
                above.value};
    if (joint < joint_) joint_ = std::move(joint);
  }

  std::optional<PieceChain> recover() const {
    auto first = steps_.way_back(IdealWalk::Direction::kUp, up_.sets, joint_.below,
                                 joint_.state_below, joint_.value_below);
    auto second =
        steps_.way_back(IdealWalk::Direction::kDown, down_.sets, ground_.complement(joint_.below),
                        joint_.state_above, joint_.value_above);
    assert(first && second && "the tables hold a chain to every set in them");
    if (!first || !second) return std::nullopt;
    std::ranges::reverse(first->pieces);
    first->pieces.insert(first->pieces.end(), second->pieces.begin(), second->pieces.end());
    steps_.number_servers(*first);
    return first;
  }

  struct Joint {
    double value = kInfinity;
    std::vector<std::uint64_t> below{};
    std::uint32_t state_below = 0, state_above = 0;
    double value_below = 0, value_above = 0;
    friend auto operator<=>(const Joint&, const Joint&) = default;
  };

  const SearchGround& ground_;
  Steps steps_;
  std::size_t shards_;
  End<Steps> up_, down_;
  Effort effort_;
  Joint joint_;
};

}  // namespace

std::size_t bytes_per_ideal(const LoadModel& model) {
  return StateTable::bytes_per_set(model.unit_count()) + 2 * sizeof(StateTable::Entry);
}

IdealSearch search_ideals(const LoadModel& model, const UnitOrder& order, const IdealLimits& limits,
                          const Budget& budget) {
  const SearchGround ground(model, order, limits);
  return model.servers.empty() ? Search<DeviceSteps>(ground, budget).run()
                               : Search<ServerExpansion>(ground, budget).run();
}

}  // namespace berth
