#include "berth/io/doppler.h"
#include "tests/fuzz/read_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return berth::feed(
      data, size, [](std::string_view text) { berth::parse_doppler(text, "input", "name", {}); });
}
