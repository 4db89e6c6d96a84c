// How long a search may go on, and its lines to the outside.
//
// Budgets count steps (evaluations) by default, so that one seed gives one result; a time limit is
// opt-in. A stop flag (Ctrl-C) ends any search, which then returns its best so far. Progress goes
// out through a callback: the library itself is silent. Where the problem is a model on devices that
// are here, a meter lets a method have placements run for real; methods know nothing of what runs
// them, and every measurement is counted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/units.h"

namespace berth {

struct Placement;

// The time of a placement that runs for real, once; throws Error when a device refuses its part.
using Meter = std::function<Duration(const Placement&)>;

struct Progress {
  std::string phase;                // "anneal", "branch and bound"
  std::optional<Duration> best;     // best feasible value so far
  std::optional<Duration> bound;    // best proven lower bound so far
  double fraction = 0;              // of the budget, 0..1, as far as known
  std::uint64_t evaluations = 0;
};

class Budget {
 public:
  struct Limits {
    std::optional<double> seconds;
    std::optional<std::uint64_t> evaluations;
  };
  using Callback = std::function<void(const Progress&)>;

  Budget() = default;  // no limit: methods then stop by their own step counts
  explicit Budget(Limits limits, const std::atomic<bool>* stop = nullptr, Callback callback = {})
      : limits_(limits), stop_(stop), callback_(std::move(callback)) {}

  // True when a limit is reached or a stop was asked for. Cheap; may be called from any thread.
  bool spent() const {
    return stopped() || (limits_.evaluations && evaluations_ >= *limits_.evaluations) ||
           (limits_.seconds && elapsed() >= *limits_.seconds);
  }
  // Stopped or out of seconds, however much was counted: for work that evaluations do not count.
  bool out_of_time() const { return stopped() || (limits_.seconds && elapsed() >= *limits_.seconds); }
  bool stopped() const { return is_set(stop_) || is_set(also_stop_); }
  // A second flag, for work whose end another thread may decide.
  void also_stop_at(const std::atomic<bool>& flag) { also_stop_ = &flag; }
  void count(std::uint64_t evaluations = 1) { evaluations_ += evaluations; }
  std::uint64_t evaluations() const { return evaluations_; }

  void set_meter(Meter meter) { meter_ = std::move(meter); }
  bool can_measure() const { return static_cast<bool>(meter_); }
  Duration measure(const Placement& placement) {  // only when it can
    ++measurements_;
    return meter_(placement);
  }
  std::uint64_t measurements() const { return measurements_; }

  const Limits& limits() const { return limits_; }
  double elapsed() const {  // seconds since the budget was made
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  std::optional<double> seconds_left() const {
    if (!limits_.seconds) return std::nullopt;
    return *limits_.seconds > elapsed() ? *limits_.seconds - elapsed() : 0.0;
  }
  // 0..1 of the limit that is nearest; 0 without limits.
  double fraction() const;

  // A share of this budget for a part of the work: ends no later than this one. What it counts
  // must be handed back with count(). It has no meter.
  Budget part(Limits limits) const;

  void report(Progress progress) const;

 private:
  static bool is_set(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }

  Limits limits_;
  const std::atomic<bool>* stop_ = nullptr;
  const std::atomic<bool>* also_stop_ = nullptr;
  Callback callback_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t evaluations_ = 0;
  Meter meter_;
  std::uint64_t measurements_ = 0;
};

}  // namespace berth
