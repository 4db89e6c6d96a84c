#include "berth/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace berth {

std::size_t thread_count(int asked) {
  if (asked > 0) return static_cast<std::size_t>(asked);
  return std::max(1U, std::thread::hardware_concurrency());
}

void on_threads(std::size_t threads, const std::function<void(std::size_t worker)>& body) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](std::size_t worker) {
    try {
      body(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
    guarded(0);
  }
  if (first) std::rethrow_exception(first);
}

void on_another_thread(const std::function<void()>& body) {
  on_threads(2, [&](std::size_t worker) {
    if (worker == 1) body();
  });
}

void for_each_item(std::size_t items, std::size_t threads, const std::function<ItemWorker()>& make,
                   std::size_t batch) {
  if (items == 0) return;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const std::size_t batches = (items + batch - 1) / batch;
  on_threads(std::min(std::max<std::size_t>(1, threads), batches), [&](std::size_t) {
    const ItemWorker worker = make();
    while (!failed) {
      const std::size_t begin = next.fetch_add(batch);
      if (begin >= items) return;
      try {
        for (std::size_t item = begin; item < std::min(items, begin + batch); ++item) worker(item);
      } catch (...) {
        failed = true;
        throw;
      }
    }
  });
}

}  // namespace berth
