// The line that shows how a search is doing, on standard error and only when that is a terminal.
//
// At most ten updates a second; gone when the search is over, so that what stays on the screen is
// the result alone.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "berth/search/budget.h"

namespace berth {

class ProgressLine {
 public:
  explicit ProgressLine(std::string title);
  ~ProgressLine();  // erases it

  bool visible() const { return visible_; }
  // Shown until a search reports a better one.
  void set_bound(Duration bound) { bound_ = bound; }

  // To be handed to a Budget; empty when nobody would see it. Must not outlive this object.
  Budget::Callback callback();

 private:
  void show(const Progress& reported);

  std::string title_;
  bool visible_;
  bool drawn_ = false;
  std::optional<Duration> bound_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
  std::mutex mutex_;  // a search may report from several threads
};

// "round 3/10" for work that counts its steps from 0; empty when nobody would see it.
template <class Count>
std::function<void(Count, Count)> step_line(const char* what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [what](Count done, Count all) {
    fmt::print(stderr, "\r{} {}/{}{}", what, done + 1, all, done + 1 == all ? "\r\033[K" : "");
  };
}

// The line itself, at most `width` columns: "place anneal [####....] 45%  best 12.582 ms ...".
std::string progress_text(const std::string& title, const Progress& progress, double seconds,
                          std::size_t width);

}  // namespace berth
