#include "cli/interrupt.h"

#include <csignal>

namespace berth {
namespace {

// A handler has no argument to find its object by.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

void restore_defaults() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

extern "C" void on_signal(int) {
  interrupted.store(true);
  restore_defaults();
}

}  // namespace

Interrupt::Interrupt() {
  interrupted.store(false);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a write in progress is finished, not failed
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() { restore_defaults(); }

const std::atomic<bool>* Interrupt::flag() const { return &interrupted; }

}  // namespace berth
