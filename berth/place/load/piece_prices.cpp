#include "berth/place/load/piece_prices.h"

#include <algorithm>
#include <cmath>

#include "berth/place/load/load_program.h"
#include "berth/place/load/piece_chain.h"

namespace berth {
namespace {

constexpr double kProgramValue = 1000;             // of the limit
constexpr std::uint64_t kMostNodes = 1000;         // of one piece program
constexpr std::ptrdiff_t kMostPlanes = 6;          // of one piece program
constexpr double kFirstBox = 2, kLeastBox = 0.02;  // half widths, in program units
constexpr double kWorthwhile = 1e-3;               // what the master must promise, likewise

using Piece = PriceMemory::Plane;  // here the load is in program units

// The piece with the largest pi(S) - load(S); only the objective depends on the prices.
class PieceProgram {
 public:
  PieceProgram(const LoadModel& model, double limit, double least_work)
      : scale_(limit / kProgramValue) {
    const std::size_t price = static_cast<std::size_t>(model.classes[0].price);
    const std::optional<std::int64_t>& memory = model.classes[0].memory;
    std::vector<Term> load, bytes;
    for (const LoadModel::Unit& unit : model.units) {
      const bool may = std::isfinite(unit.time[0][0]) && unit.time[0][0] <= limit;
      x_.push_back(milp_.add_variable({.lower = 0, .upper = may ? 1.0 : 0.0, .integer = true}));
      time_.push_back(may ? unit.time[0][0] / scale_ : 0.0);
      load.push_back({x_.back(), time_.back()});
      if (memory && *memory > 0)
        bytes.push_back(
            {x_.back(), static_cast<double>(unit.bytes) / static_cast<double>(*memory)});
    }
    if (least_work > 0) milp_.add_row(least_work / scale_ * (1 - 1e-9), kNoLimit, load);
    for (const LoadModel::Net& net : model.nets) {
      const double weight = std::min(net.read[price], net.write[price]);
      const VariableId cut = milp_.add_variable(
          {.lower = 0, .upper = weight > limit ? 0.0 : 1.0, .cost = weight / scale_});
      for (const std::uint32_t pin : net.pins) {
        if (pin == net.producer) continue;
        milp_.add_excess(cut, x_[pin], x_[net.producer]);
        milp_.add_excess(cut, x_[net.producer], x_[pin]);
      }
      load.push_back({cut, weight / scale_});
    }
    milp_.add_row(-kNoLimit, kProgramValue, load);
    if (!bytes.empty()) milp_.add_row(-kNoLimit, 1, bytes);
  }

  struct Answer {
    double most = kNoLimit;     // an upper bound of h
    std::vector<Piece> pieces;  // met on the way, the best last
  };
  Answer best(const std::vector<double>& price, Budget& budget) {
    for (std::size_t u = 0; u < x_.size(); ++u) milp_.variable(x_[u]).cost = time_[u] - price[u];
    Answer answer;
    const auto keep = [&](std::span<const double> values, double objective) {
      Piece piece{{}, objective};
      for (std::uint32_t u = 0; u < x_.size(); ++u) {
        if (values[index(x_[u])] < 0.5) continue;
        piece.units.push_back(u);
        piece.load += price[u];
      }
      answer.pieces.push_back(std::move(piece));
    };
    const MilpSolution solution = solve(milp_, {.seconds = budget.seconds_left(),
                                                .nodes = kMostNodes,
                                                .relative_gap = 1e-5,
                                                .stop = [&] { return budget.spent(); },
                                                .improved = keep});
    budget.count(1 + solution.nodes);
    // A hair is added for the solver's tolerances.
    if (std::isfinite(solution.bound)) answer.most = -solution.bound + 1e-6 * kProgramValue;
    // Pieces on the way are planes too, and cost nothing. The first few may be far off.
    if (answer.pieces.size() > kMostPlanes)
      answer.pieces.erase(answer.pieces.begin(), answer.pieces.end() - kMostPlanes);
    if (solution.has_values())
      keep(solution.values.items(), solution.objective);
    else
      answer.pieces.clear();
    return answer;
  }

 private:
  double scale_;
  MilpModel milp_;
  std::vector<VariableId> x_;
  std::vector<double> time_;
};

// max sum of pi - n_0 h - U sum of n_c nu_c  under the pieces known so far.
class Master {
 public:
  Master(const LoadModel& model, double scale) : model_(model) {
    for (std::size_t u = 0; u < model.unit_count(); ++u)
      price_.push_back(milp_.add_variable({.lower = 0, .upper = 0, .cost = -1}));
    most_ = milp_.add_variable(
        {.lower = -kNoLimit, .cost = static_cast<double>(model.classes[0].count())});
    for (std::size_t c = 1; c < model.classes.size(); ++c) {
      weight_.push_back(milp_.add_variable(
          {.lower = 0, .cost = kProgramValue * static_cast<double>(model.classes[c].count())}));
      for (std::size_t u = 0; u < model.unit_count(); ++u)
        if (std::isfinite(model.units[u].time[c][0]))
          milp_.add_row(0, kNoLimit,
                        {{weight_.back(), model.units[u].time[c][0] / scale}, {price_[u], -1}});
    }
  }

  void add(const Piece& piece) {
    std::vector<Term> terms{{most_, 1}};
    for (const std::uint32_t unit : piece.units) terms.push_back({price_[unit], -1});
    milp_.add_row(-piece.load, kNoLimit, terms);
  }

  struct Prices {
    std::vector<double> price, weight;  // by unit; by class, from class 1 on
    double promise = 0;                 // the bound, if no other piece counted
  };
  std::optional<Prices> best(const std::vector<double>& around, double box) {
    for (std::size_t u = 0; u < price_.size(); ++u) {
      milp_.variable(price_[u]).lower = std::max(0.0, around[u] - box);
      milp_.variable(price_[u]).upper = around[u] + box;
    }
    const MilpSolution solution = solve(milp_, {});
    if (solution.status != MilpStatus::kOptimal) return std::nullopt;
    Prices prices;
    for (const VariableId v : price_) prices.price.push_back(solution.values[v]);
    for (const VariableId v : weight_) prices.weight.push_back(solution.values[v]);
    prices.promise = bound(model_, prices, solution.values[most_]);
    return prices;
  }

  static double bound(const LoadModel& model, const Prices& prices, double most) {
    const double devices = static_cast<double>(model.classes[0].count());
    double sum = -devices * most, capacity = devices;
    for (const double price : prices.price) sum += price;
    for (std::size_t c = 1; c < model.classes.size(); ++c)
      capacity += prices.weight[c - 1] * static_cast<double>(model.classes[c].count());
    return sum / capacity;
  }

 private:
  const LoadModel& model_;
  MilpModel milp_;
  std::vector<VariableId> price_, weight_;
  VariableId most_{};
};

// Prices must obey pi(u) <= nu_c time_c(u) exactly for the bound to hold; the solver's may be a
// hair off.
void repair(const LoadModel& model, double scale, Master::Prices& prices) {
  for (std::size_t u = 0; u < model.unit_count(); ++u)
    for (std::size_t c = 1; c < model.classes.size(); ++c)
      if (const double time = model.units[u].time[c][0]; std::isfinite(time))
        prices.price[u] =
            std::max(0.0, std::min(prices.price[u], prices.weight[c - 1] * time / scale));
}

std::vector<Piece> pieces_of(const LoadModel& model, const SlotOfUnit& slot_of, double scale) {
  const std::vector<LoadModel::Halves> loads = slot_loads(model, slot_of);
  std::vector<Piece> pieces(model.classes[0].count());
  for (std::uint32_t u = 0; u < slot_of.size(); ++u)
    if (slot_of[u] < pieces.size()) pieces[slot_of[u]].units.push_back(u);
  for (std::size_t slot = 0; slot < pieces.size(); ++slot)
    pieces[slot].load = loads[slot][0] / scale;
  return pieces;
}

// The pieces of an earlier search are planes again, its best prices the first to try. A piece above
// a limit that has fallen since misleads the master a little and no bound at all.
void recall(const PriceMemory& memory, double scale, Master& master, Master::Prices& at) {
  for (const PriceMemory::Plane& plane : memory.planes)
    master.add({plane.units, plane.load / scale});
  if (memory.price.empty()) return;
  for (std::size_t u = 0; u < at.price.size(); ++u) at.price[u] = memory.price[u] / scale;
  at.weight = memory.weight;
}

}  // namespace

PiecePrices price_pieces(const LoadModel& model, double limit, const std::vector<SlotOfUnit>& known,
                         int rounds, Budget& budget, const std::function<void(double)>& raised,
                         PriceMemory* memory) {
  if (model.halves_apart || model.overlap != Overlap::kSum || model.classes[0].price < 0 ||
      !(limit > 0) || !std::isfinite(limit))
    return {};
  const double scale = limit / kProgramValue;
  const std::vector<double> speed = class_speeds(model, 0);
  Master::Prices at;  // the times themselves, first
  double left_over = 0;
  for (const double work : unit_work(model, 0)) {
    at.price.push_back(work / scale);
    left_over += work;
  }
  for (std::size_t c = 0; c < speed.size(); ++c) {
    if (!std::isfinite(speed[c])) return {};
    left_over -=
        limit * speed[c] * static_cast<double>(model.classes[c].count() - (c == 0 ? 1 : 0));
    if (c > 0) at.weight.push_back(speed[c]);
  }
  PieceProgram program(model, limit, left_over);
  Master master(model, scale);
  for (const SlotOfUnit& slot_of : known)
    for (const Piece& piece : pieces_of(model, slot_of, scale)) master.add(piece);
  if (memory != nullptr) recall(*memory, scale, master, at);

  PiecePrices result;
  std::vector<double> centre = at.price;
  double best = -kNoLimit, box = kFirstBox;
  for (int round = 0; round < rounds && !budget.spent(); ++round) {
    repair(model, scale, at);
    const PieceProgram::Answer answer = program.best(at.price, budget);
    if (!std::isfinite(answer.most)) break;
    const double bound = Master::bound(model, at, answer.most);
    if (bound > best) {
      best = bound;
      centre = at.price;
      box *= round == 0 ? 1 : 1.3;
      result.bound = best * scale;
      if (raised) raised(result.bound);
      if (result.rows.size() == 2) result.rows.pop_back();
      result.rows.push_back({{}, answer.most * scale});
      for (const double price : centre) result.rows.back().price.push_back(price * scale);
      if (memory != nullptr) {
        memory->price = result.rows.back().price;
        memory->weight = at.weight;
      }
    } else {
      box = std::max(kLeastBox, box * 0.85);
    }
    if (best >= kProgramValue || answer.pieces.empty()) break;
    for (const Piece& piece : answer.pieces) {
      master.add(piece);
      if (memory != nullptr) memory->planes.push_back({piece.units, piece.load * scale});
    }
    std::optional<Master::Prices> next = master.best(centre, box);
    if (!next || next->promise < best + kWorthwhile) break;
    at = std::move(*next);
  }
  return result;
}

}  // namespace berth
