#include "berth/place/exact/forced_cuts.h"

#include <algorithm>
#include <cmath>

#include "berth/place/exact/milp.h"
#include "berth/place/exact/piece_chain.h"

namespace berth {
namespace {

constexpr double kProgramValue = 1000;  // of the limit
constexpr double kSteepest = 4;         // slopes above it say nothing new within the limit
constexpr double kWorthwhile = 1e-5;    // of the limit
constexpr int kMostPrograms = 12;
constexpr std::uint64_t kMostNodes = 2000;  // of one program

struct Point {
  double work = 0, cuts = 0;
};

// The program of one piece; only its objective depends on the slope.
class PieceProgram {
 public:
  PieceProgram(const LoadModel& model, double limit, double least_work)
      : scale_(limit / kProgramValue), may_be_empty_(least_work <= 0) {
    const std::size_t price = static_cast<std::size_t>(model.classes[0].price);
    const std::optional<std::int64_t>& memory = model.classes[0].memory;
    std::vector<Term> load, bytes, work;
    for (const LoadModel::Unit& unit : model.units) {
      const bool may = std::isfinite(unit.time[0][0]) && unit.time[0][0] <= limit;
      x_.push_back(milp_.add_variable({.lower = 0, .upper = may ? 1.0 : 0.0, .integer = true}));
      const double time = may ? unit.time[0][0] / scale_ : 0.0;
      work_.push_back(time);
      load.push_back({x_.back(), time});
      if (memory && *memory > 0)
        bytes.push_back(
            {x_.back(), static_cast<double>(unit.bytes) / static_cast<double>(*memory)});
    }
    work = load;
    for (const LoadModel::Net& net : model.nets) {
      const double weight = std::min(net.read[price], net.write[price]);
      const VariableId cut = milp_.add_variable({.lower = 0, .upper = weight > limit ? 0.0 : 1.0});
      for (const std::uint32_t pin : net.pins) {
        if (pin == net.producer) continue;
        milp_.add_row(0, kNoLimit, {{cut, 1}, {x_[pin], -1}, {x_[net.producer], 1}});
        milp_.add_row(0, kNoLimit, {{cut, 1}, {x_[pin], 1}, {x_[net.producer], -1}});
      }
      cuts_.push_back({cut, weight / scale_});
      load.push_back(cuts_.back());
    }
    milp_.add_row(-kNoLimit, kProgramValue, load);
    if (least_work > 0) milp_.add_row(least_work / scale_ * (1 - 1e-9), kNoLimit, work);
    if (!bytes.empty()) milp_.add_row(-kNoLimit, 1, bytes);
  }

  bool may_be_empty() const { return may_be_empty_; }

  struct Answer {
    bool ended = false;  // before any bound
    double most = 0;     // an upper bound of slope * work - cuts
    std::optional<Point> point;
  };
  Answer most(double slope, Budget& budget) {
    for (std::size_t u = 0; u < x_.size(); ++u) milp_.variable(x_[u]).cost = -slope * work_[u];
    for (const Term& cut : cuts_) milp_.variable(cut.variable).cost = cut.coefficient;
    MilpOptions how{
        .seconds = budget.seconds_left(), .nodes = kMostNodes, .relative_gap = 1e-4, .stop = [&] {
          return budget.spent();
        }};
    const MilpSolution solution = solve(milp_, how);
    budget.count(1 + solution.nodes);
    Answer answer;
    if (!std::isfinite(solution.bound)) return answer.ended = true, answer;
    answer.most = (-solution.bound + 1e-6 * kProgramValue) * scale_;
    if (!solution.has_values()) return answer;
    Point point;
    for (std::size_t u = 0; u < x_.size(); ++u)
      if (solution.values[x_[u]] > 0.5) point.work += work_[u] * scale_;
    for (const Term& cut : cuts_)
      point.cuts += std::round(solution.values[cut.variable]) * cut.coefficient * scale_;
    answer.point = point;
    return answer;
  }

 private:
  double scale_;
  bool may_be_empty_;
  MilpModel milp_;
  std::vector<VariableId> x_;
  std::vector<double> work_;
  std::vector<Term> cuts_;
};

// Known pieces say how good a slope can be at best: s * average - h(s) is no more than this.
double promise(const std::vector<Point>& known, double average, double slope) {
  double least = kNoLimit;
  for (const Point& at : known) least = std::min(least, slope * (average - at.work) + at.cuts);
  return least;
}

// The slope with the largest promise: an end, or where the lines of two pieces meet.
double most_promising(const std::vector<Point>& known, double average) {
  std::vector<double> slopes{0, kSteepest};
  for (const Point& a : known)
    for (const Point& b : known)
      if (const double at = (a.cuts - b.cuts) / (a.work - b.work);
          a.work > b.work && at > 0 && at < kSteepest)
        slopes.push_back(at);
  return *std::max_element(slopes.begin(), slopes.end(), [&](double a, double b) {
    return promise(known, average, a) < promise(known, average, b);
  });
}

}  // namespace

std::vector<ForcedCut> forced_cuts(const LoadModel& model, double limit, Budget& budget) {
  if (model.halves_apart || model.overlap != Overlap::kSum || model.classes[0].price < 0 ||
      !(limit > 0) || !std::isfinite(limit))
    return {};
  const std::vector<double> speed = class_speeds(model, 0);
  double total = 0, elsewhere = 0;
  for (const double work : unit_work(model, 0)) total += work;
  for (std::size_t c = 1; c < model.classes.size(); ++c)
    elsewhere += limit * speed[c] * static_cast<double>(model.classes[c].count());
  if (!std::isfinite(elsewhere)) return {};
  const double devices = static_cast<double>(model.classes[0].count());
  const double average = (total - elsewhere) / devices;
  if (!(average > 0)) return {};
  PieceProgram program(model, limit, total - elsewhere - (devices - 1) * limit);

  std::vector<ForcedCut> found;
  std::vector<Point> known;
  if (program.may_be_empty()) known.push_back({0, 0});
  // Without the empty piece all cut something: at slope 0 the least.
  double slope = program.may_be_empty() ? 1 : 0, best = -kNoLimit;
  for (int round = 0; round < kMostPrograms && !budget.spent(); ++round) {
    const PieceProgram::Answer answer = program.most(slope, budget);
    if (answer.ended) break;
    found.push_back({slope, answer.most});
    best = std::max(best, slope * average - answer.most);
    if (!answer.point) break;
    known.push_back(*answer.point);
    slope = most_promising(known, average);
    if (promise(known, average, slope) - best < kWorthwhile * limit) break;
  }
  return found;
}

}  // namespace berth
