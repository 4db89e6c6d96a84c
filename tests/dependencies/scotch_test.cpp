#include "berth/modules/build_config.h"

#if BERTH_HAS_SCOTCH

#include <array>
#include <cstdint>
#include <cstdio>

#include <doctest/doctest.h>

// Uses the types of the two headers above without including them.
#include <scotch.h>

TEST_CASE("Scotch cuts a path of four nodes in the middle") {
  // 0 - 1 - 2 - 3 as compressed adjacency.
  std::array<SCOTCH_Num, 5> offsets{0, 1, 3, 5, 6};
  std::array<SCOTCH_Num, 6> neighbours{1, 0, 2, 1, 3, 2};
  std::array<SCOTCH_Num, 4> part{};

  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  REQUIRE(SCOTCH_graphInit(&graph) == 0);
  REQUIRE(SCOTCH_stratInit(&strategy) == 0);
  REQUIRE(SCOTCH_graphBuild(&graph, 0, 4, offsets.data(), nullptr, nullptr, nullptr, 6,
                            neighbours.data(), nullptr) == 0);
  REQUIRE(SCOTCH_graphPart(&graph, 2, &strategy, part.data()) == 0);
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);

  CHECK(part[0] == part[1]);
  CHECK(part[2] == part[3]);
  CHECK(part[0] != part[3]);
}

#endif
