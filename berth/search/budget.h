// How long a search may go on, and its lines to the outside.
//
// Budgets count steps (evaluations) by default, so that one seed gives one result; a time limit is
// opt-in. A stop flag (Ctrl-C) ends any search, which then returns its best so far. Progress goes
// out through a callback: the library itself is silent. Where the problem is a model on devices
// that are here, a meter lets a method have placements run for real; methods know nothing of what
// runs them, and every measurement is counted.
//
// A part of a budget is a budget with tighter limits for a part of the work. What it counts counts
// in the whole at once, so the whole outlives its parts. Counting, asking and reporting may happen
// on any thread; the callback hears one report at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "berth/base/units.h"

namespace berth {

struct Placement;

// The time of a placement that runs for real, once; throws Error when a device refuses its part.
using Meter = std::function<Duration(const Placement&)>;

struct Progress {
  std::string phase;              // "anneal", "branch and bound"
  std::optional<Duration> best;   // best feasible value so far
  std::optional<Duration> bound;  // best proven lower bound so far
  double fraction = 0;            // of the budget, 0..1, as far as known
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
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // True when a limit is reached or a stop was asked for. Cheap.
  bool spent() const { return out_of_evaluations() || out_of_time(); }
  // Stopped or out of seconds, however much was counted: for work that evaluations do not count.
  bool out_of_time() const {
    return stopped() || (limits_.seconds && elapsed() >= *limits_.seconds);
  }
  bool stopped() const { return is_set(stop_) || is_set(also_stop_); }
  // A second flag, for work whose end another thread may decide.
  void also_stop_at(const std::atomic<bool>& flag) { also_stop_ = &flag; }
  void count(std::uint64_t evaluations = 1) {
    for (Budget* at = this; at != nullptr; at = at->whole_)
      at->evaluations_.fetch_add(evaluations, std::memory_order_relaxed);
  }
  std::uint64_t evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  // Until the nearest limit; empty without one.
  std::optional<std::uint64_t> evaluations_left() const;

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

  // A part with these limits, ending no later than this one. It has no meter.
  Budget part(Limits limits) { return Budget(*this, limits); }
  // A part with this fraction of the time that is left; without a time limit, all of it.
  Budget share(double fraction);

  void report(Progress progress) const;

 private:
  Budget(Budget& whole, Limits limits);
  static bool is_set(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }
  bool out_of_evaluations() const {
    for (const Budget* at = this; at != nullptr; at = at->whole_)
      if (at->limits_.evaluations && at->evaluations() >= *at->limits_.evaluations) return true;
    return false;
  }

  Budget* whole_ = nullptr;  // of which this is a part
  Limits limits_;
  const std::atomic<bool>* stop_ = nullptr;
  const std::atomic<bool>* also_stop_ = nullptr;
  Callback callback_;  // of the whole; parts report there
  mutable std::mutex reporting_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> evaluations_{0};
  Meter meter_;
  std::uint64_t measurements_ = 0;
};

}  // namespace berth
