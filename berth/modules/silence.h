// A standard stream that goes nowhere for a while: third parties remark where only answers belong.
//
// While a Silence lives, what anybody writes to the descriptor is dropped. One at a time, because
// descriptors belong to the process.
#pragma once

#include <cstdio>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

namespace berth {

class Silence {
 public:
  explicit Silence(std::FILE* stream)
      : lock_(mutex_), stream_(stream), kept_(fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)) {
    const int nowhere = kept_ < 0 ? -1 : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    redirect(nowhere);
  }
  ~Silence() {
    if (kept_ >= 0) redirect(kept_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  void redirect(int to) {
    std::fflush(stream_);
    dup2(to, fileno(stream_));
    close(to);
  }

  static inline std::mutex mutex_;
  std::lock_guard<std::mutex> lock_;
  std::FILE* stream_;
  int kept_;
};

}  // namespace berth
