#include "berth/runtime/machine.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("this machine has cores and memory, and not all of the latter is free") {
  const Machine machine = this_machine();
  CHECK(machine.cores == usable_cores().size());
  CHECK(machine.cores > 0);
  REQUIRE(machine_memory());
  CHECK(machine.memory == *machine_memory());
  CHECK(machine.free_memory < machine.memory);
  CHECK_FALSE(machine.processor.empty());
}
