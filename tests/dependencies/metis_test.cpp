#include "berth/modules/build_config.h"

#if BERTH_HAS_METIS

#include <array>

#include <doctest/doctest.h>
#include <metis.h>

TEST_CASE("METIS cuts a path of four nodes in the middle") {
  // 0 - 1 - 2 - 3 as compressed adjacency.
  std::array<idx_t, 5> offsets{0, 1, 3, 5, 6};
  std::array<idx_t, 6> neighbours{1, 0, 2, 1, 3, 2};
  std::array<idx_t, 4> part{};
  idx_t nodes = 4;
  idx_t constraints = 1;
  idx_t parts = 2;
  idx_t cut = 0;

  const int status =
      METIS_PartGraphKway(&nodes, &constraints, offsets.data(), neighbours.data(), nullptr, nullptr,
                          nullptr, &parts, nullptr, nullptr, nullptr, &cut, part.data());

  REQUIRE(status == METIS_OK);
  CHECK(cut == 1);
  CHECK(part[0] == part[1]);
  CHECK(part[2] == part[3]);
  CHECK(part[0] != part[3]);
}

#endif
