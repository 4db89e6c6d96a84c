#include "berth/base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("every item is done once, whatever the threads and batches") {
  for (const std::size_t threads : {1, 2, 5})
    for (const std::size_t batch : {1, 3, 100}) {
      std::vector<std::atomic<int>> done(37);
      std::atomic<int> workers{0};
      for_each_item(
          done.size(), threads,
          [&] {
            ++workers;
            return [&](std::size_t item) { ++done[item]; };
          },
          batch);
      for (const auto& count : done) CHECK(count == 1);
      CHECK(workers >= 1);
      CHECK(workers <= static_cast<int>(threads));
    }
}

TEST_CASE("no items make no worker, and one thread is the caller's") {
  for_each_item(0, 4, []() -> ItemWorker { throw std::logic_error("made"); });
  int calls = 0;  // not atomic: nobody else runs
  on_threads(1, [&](std::size_t worker) { calls += worker == 0; });
  CHECK(calls == 1);
}

TEST_CASE("the first exception ends the work and comes out") {
  std::atomic<int> done{0};
  const auto make = [&]() -> ItemWorker {
    return [&](std::size_t item) {
      if (item == 3) throw std::runtime_error("item 3");
      ++done;
    };
  };
  CHECK_THROWS_WITH_AS(for_each_item(100000, 3, make), "item 3", std::runtime_error);
  CHECK(done < 100000);
}

TEST_CASE("another thread is not the caller's, is waited for, and its exception comes out") {
  std::thread::id there;
  on_another_thread([&] { there = std::this_thread::get_id(); });
  CHECK(there != std::thread::id());
  CHECK(there != std::this_thread::get_id());
  CHECK_THROWS_WITH_AS(on_another_thread([] { throw std::runtime_error("there"); }), "there",
                       std::runtime_error);
}

TEST_CASE("as many threads as asked for, or one per core") {
  CHECK(thread_count(3) == 3);
  CHECK(thread_count(0) >= 1);
}
