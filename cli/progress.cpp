#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>

#include "berth/base/text.h"

namespace berth {
namespace {

std::size_t terminal_width() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

// What is told first stays longest: a narrow terminal loses the bar, then the bound, then its end.
std::string progress_text(const std::string& title, const Progress& progress, double seconds,
                          std::size_t width) {
  constexpr std::size_t kCells = 20;
  std::string text = title, bar, bound;
  if (!progress.phase.empty() && progress.phase != title) text += " " + progress.phase;
  if (progress.best) text += "  best " + time_text(*progress.best);
  if (progress.bound) bound = "  bound " + time_text(*progress.bound);
  if (progress.fraction > 0) {
    const double fraction = std::min(1.0, progress.fraction);
    const auto full = static_cast<std::size_t>(fraction * kCells);
    bar = fmt::format("  [{}{}] {:3.0f}%", std::string(full, '#'), std::string(kCells - full, '.'),
                      100 * fraction);
  }
  const std::string time = fmt::format("  {} s", seconds_text(seconds));
  for (const std::string& whole : {text + bound + bar + time, text + bound + time, text + time})
    if (whole.size() <= width) return whole;
  return text.substr(0, width);
}

ProgressLine::ProgressLine(std::string title)
    : title_(std::move(title)), visible_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

Budget::Callback ProgressLine::callback() {
  if (!visible_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& reported) {
  const std::lock_guard lock(mutex_);
  Progress progress = reported;
  if (bound_ && (!progress.bound || *progress.bound < *bound_)) progress.bound = bound_;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // The last column stays empty: writing there makes some terminals begin a new line.
  fmt::print(stderr, "\r{}\x1b[K", progress_text(title_, progress, seconds, terminal_width() - 1));
  std::fflush(stderr);
}

}  // namespace berth
