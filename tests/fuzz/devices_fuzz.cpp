#include "berth/io/devices_json.h"
#include "tests/fuzz/read_input.h"

// What is accepted must come back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return berth::feed(data, size, [](std::string_view text) {
    const berth::Cluster cluster = berth::parse_devices(text, "input");
    if (berth::parse_devices(berth::write_devices(cluster), "written") != cluster) __builtin_trap();
  });
}
