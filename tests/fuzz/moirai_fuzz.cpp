#include <string>

#include "berth/io/problem_json.h"
#include "berth/io/read_problem.h"
#include "tests/fuzz/read_input.h"

// What is accepted must also be writable and read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return berth::feed(data, size, [](std::string_view text) {
    const berth::Problem problem = berth::parse_problem(text, "input");
    const std::string written = berth::write_problem(problem);
    if (berth::write_problem(berth::parse_problem(written, "written")) != written) __builtin_trap();
  });
}
