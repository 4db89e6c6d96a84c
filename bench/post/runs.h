// Runs of methods on tasks, each kept as a line of JSON as soon as it is there.
//
//   {"task": "rnnlm-2, k80x2", "spec": "post(seeds=false)", "limit": 2400, "seed": 1, "ms": 31.2,
//    "bound_ms": 17.0, "evaluations": 2400, "distinct": 2391, "seconds": 0.8, "commit": "9e26c8c"}
//
// A study that was killed goes on from its file: what is there is not run again, whatever commit
// made it; tables say which. "ms" is null where the method found nothing that fits.
//
// No run is believed: its placement is played by the simulator of the tests, which shares no code
// with the library's, and held against the limits of the problem once more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/post/tasks.h"

namespace berth::bench {

struct RunKey {
  std::string task, spec;
  std::uint64_t limit = 0;  // of evaluations
  std::uint64_t seed = 1;

  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

struct Run {
  std::optional<double> ms, bound_ms;
  std::uint64_t evaluations = 0;
  // Placements among them that differ from the others of their batch, of methods that tell.
  std::optional<std::uint64_t> distinct;
  double seconds = 0;
  std::string commit;
};

class Runs {
 public:
  // Reads what is there; a last line that was cut off is dropped. An empty path keeps nothing.
  explicit Runs(std::filesystem::path file);

  const Run* find(const RunKey& key) const;
  // From any thread.
  void add(const RunKey& key, const Run& run);

 private:
  std::filesystem::path file_;
  std::map<RunKey, Run> runs_;
  std::mutex adding_;
};

// What is missing of the specs, each with its limit and seeds, `jobs` at a time; a line on standard
// error for each. Throws Error when a placement is not what its method says.
void run_missing(Runs& runs, const PostTask& task, const std::vector<RunKey>& wanted, int jobs);

}  // namespace berth::bench
