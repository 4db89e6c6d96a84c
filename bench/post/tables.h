// The tables of the study as Markdown: medians over the seeds, as far as there are runs.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/post/competitors.h"

namespace berth::bench {

struct Study {
  std::vector<PostTask> tasks;
  std::uint64_t limit = 2400;  // evaluations of each run
  int seeds = 5;
};

// All runs that a table needs of one task.
std::vector<RunKey> runs_of(const std::vector<Competitor>& competitors, const PostTask& task,
                            const Study& study);

// A row for each task, then for each column how often the first one is ahead of it.
void print_comparison(const Runs& runs, const Comparison& comparison, const Study& study);
// A row for each competitor, a column for each task, and the mean ratio to the first row.
void print_ablation(const Runs& runs, const std::vector<Competitor>& rows, const Study& study);

}  // namespace berth::bench
