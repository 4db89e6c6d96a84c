#include "berth/search/bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "berth/search/path_times.h"
#include "berth/transform/ranks.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr double kMostPathWork = 3e8;  // E D^2 above which transfers are left out

double path_bound(const Problem& problem) {
  const double devices = static_cast<double>(problem.device_count());
  const double work = static_cast<double>(problem.graph().edge_count()) * devices * devices;
  return work > kMostPathWork ? critical_path(problem).count() : longest_path(problem);
}

// p(unit, d) of the nodes of one pass, infinite where not allowed; unit-major.
std::vector<double> pass_times(const Problem& problem, Pass pass) {
  const std::size_t devices = problem.device_count();
  std::vector<double> times(problem.unit_count() * devices, 0.0);
  for (const UnitId unit : problem.units())
    for (const DeviceId device : problem.devices()) {
      double& time = times[index(unit) * devices + index(device)];
      for (const NodeId node : problem.members(unit))
        if (problem.graph().node(node).pass == pass) time += problem.time(node, device).count();
      if (!problem.unit_allows(unit, device)) time = kForever.count();
    }
  return times;
}

// Of each unit, where it is fastest.
std::vector<double> least_times(const std::vector<double>& times, std::size_t devices) {
  std::vector<double> least;
  for (std::size_t at = 0; at < times.size(); at += devices)
    least.push_back(std::ranges::min(std::span(times).subspan(at, devices)));
  return least;
}

double sum_of_fastest(const std::vector<double>& times, std::size_t devices) {
  const std::vector<double> least = least_times(times, devices);
  return std::accumulate(least.begin(), least.end(), 0.0);
}

// The unit that takes longest even where it is fastest: it cannot be divided.
double largest_unit(const std::vector<double>& times, std::size_t devices) {
  return std::ranges::max(least_times(times, devices));
}

}  // namespace

// max over y in the simplex of sum over units of min over d of ( c + (1 - c) y_d ) p(unit,d).
DivisibleWork divisible_work(const std::vector<double>& times, std::size_t devices, double c) {
  if (devices == 1) return {sum_of_fastest(times, devices), {1.0}};
  const std::size_t units = times.size() / devices;
  const int rounds =
      static_cast<int>(std::clamp<double>(2e7 / static_cast<double>(times.size()), 20, 2000));
  constexpr int kPatience = 300;  // rounds without a gain in the sixth digit
  int last_gain = 0;
  std::vector<double> weight(devices, 1.0 / static_cast<double>(devices)), load(devices);
  DivisibleWork best{.value = 0, .weight = weight};
  for (int round = 0; round < rounds; ++round) {
    std::fill(load.begin(), load.end(), 0.0);
    double value = 0;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const double* const row = &times[unit * devices];
      std::size_t cheapest = 0;
      double least = kForever.count();
      for (std::size_t d = 0; d < devices; ++d) {
        if (!std::isfinite(row[d])) continue;
        const double cost = (c + (1 - c) * weight[d]) * row[d];
        if (cost < least) least = cost, cheapest = d;
      }
      value += least;
      load[cheapest] += row[cheapest];
    }
    if (value > best.value * (1 + 1e-6)) last_gain = round;
    if (value > best.value) best = {value, weight};
    if (round - last_gain > kPatience) break;
    // Busy devices become dearer; step sizes fall as 1 / sqrt(round).
    const double busiest = std::ranges::max(load);
    if (!(busiest > 0) || !std::isfinite(busiest)) break;
    double sum = 0;
    for (std::size_t d = 0; d < devices; ++d) {
      weight[d] *= std::exp(load[d] / busiest / std::sqrt(1.0 + round));
      sum += weight[d];
    }
    for (double& w : weight) w /= sum;
  }
  return best;
}

namespace {

// The largest of the header's bounds: one overload per model says which hold.
class Bounds {
 public:
  Bounds(const Problem& problem, bool replicated) : problem_(problem), replicated_(replicated) {}

  void operator()(const Concurrent&) {
    add_path();
    add_work(0);
  }
  void operator()(const Sequential&) {
    consider(sum_of_fastest(unit_graph(problem_).times(), problem_.device_count()), "sum");
  }
  void operator()(const CallLatency&) { add_path(); }
  void operator()(const MaxLoad& model) {
    if (model.training == TrainingSchedule::kGPipe && problem_.is_training())
      add_work_of_halves();
    else
      add_work(0);
  }
  // One sample in pieces need not slow another: contention counts in throughput.
  void operator()(const InPieces& model) {
    const bool latency = model.objective == Objective::kLatency;
    if (latency) add_path();
    add_work(latency ? 0 : model.contention);
  }
  const LowerBound& best() const { return best_; }

 private:
  void consider(double micros, const char* how) {
    // A hair below: the sums were rounded, the bound must not be.
    if (std::isfinite(micros) && micros * (1 - 1e-12) > best_.value.count())
      best_ = {Duration{micros * (1 - 1e-12)}, how};
  }
  void add_path() { consider(path_bound(problem_), "path"); }
  void add_work(double contention) {
    const std::vector<double>& times = unit_graph(problem_).times();
    consider(divisible_work(times, problem_.device_count(), contention).value, "work");
    if (!replicated_) consider(largest_unit(times, problem_.device_count()), "largest unit");
  }
  // max forward + max backward: each half is bounded on its own.
  void add_work_of_halves() {
    const std::size_t devices = problem_.device_count();
    double sum = 0;
    for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
      const std::vector<double> times = pass_times(problem_, pass);
      sum += std::max(divisible_work(times, devices).value,
                      replicated_ ? 0.0 : largest_unit(times, devices));
    }
    consider(sum, "work");
  }

  const Problem& problem_;
  bool replicated_;
  LowerBound best_{Duration{0}, "zero"};
};

}  // namespace

LowerBound lower_bound(const Problem& problem, bool replicated) {
  const ExecutionModel& model = problem.model();
  Bounds bounds(problem, replicated || model.bounds_count_replicas());
  if (!problem.unplaceable()) std::visit(bounds, model.execution);
  return bounds.best();
}

}  // namespace berth
