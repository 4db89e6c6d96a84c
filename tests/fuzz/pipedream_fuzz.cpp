#include "berth/cost/clusters.h"
#include "berth/io/read_problem.h"
#include "tests/fuzz/read_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const berth::ReadOptions options{.cluster = berth::built_in_cluster("cpu+gpu"),
                                          .training = true};
  return berth::feed(data, size,
                     [](std::string_view text) { berth::parse_problem(text, "input", options); });
}
