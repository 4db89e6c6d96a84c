// Work on several threads: the one place that starts them.
//
// Items are handed out one after another (or in batches), so that a slow one holds nobody up. Each
// thread has a worker of its own, made on that thread: searches keep their scratch memory there.
// What an item computes must not depend on which worker gets it; then the result does not depend on
// the number of threads. The first exception ends the work and comes out on the calling thread.
#pragma once

#include <cstddef>
#include <functional>

namespace berth {

// As many as asked for; 0 or less: one per core.
std::size_t thread_count(int asked);

// Calls body(0) ... body(threads - 1), each on a thread of its own, the caller's among them, and
// returns when all are done.
void on_threads(std::size_t threads, const std::function<void(std::size_t worker)>& body);

// Calls the body on a thread of its own and waits for it: for work that changes the thread it runs
// on, as pinning it to cores does.
void on_another_thread(const std::function<void()>& body);

using ItemWorker = std::function<void(std::size_t item)>;
// Every item once, by workers from `make`. No more threads than batches.
void for_each_item(std::size_t items, std::size_t threads, const std::function<ItemWorker()>& make,
                   std::size_t batch = 1);

}  // namespace berth
