#include "berth/io/placement_json.h"
#include "berth/io/read_problem.h"
#include "tests/fuzz/read_input.h"

namespace {

berth::Problem some_problem() {
  return berth::parse_problem(R"({"maxSizePerFPGA": 100, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
    {"id": 7, "name": "a", "cpuLatency": 10, "fpgaLatency": 1, "colorClass": 3},
    {"id": 8, "name": "b", "cpuLatency": 20, "fpgaLatency": 2, "colorClass": 3},
    {"id": 9, "name": "c", "cpuLatency": 30, "fpgaLatency": 3}],
    "edges": [{"sourceId": 7, "destId": 9, "cost": 1}]})",
                              "problem");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const berth::Problem problem = some_problem();
  return berth::feed(data, size, [](std::string_view text) {
    const berth::Placement placement = berth::parse_placement(text, "input", problem);
    if (placement.device_of.size() != problem.node_count()) __builtin_trap();
  });
}
