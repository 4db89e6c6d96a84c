// Ctrl-C ends a search, not the program.
//
// While an Interrupt lives, the first SIGINT or SIGTERM raises its flag, which a Budget carries to
// the search; the best placement so far is then printed as usual. The second signal kills, as
// signals do: the handlers are gone after the first.
#pragma once

#include <atomic>

namespace berth {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>* flag() const;
  bool raised() const { return flag()->load(); }
};

}  // namespace berth
