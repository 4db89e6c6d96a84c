#include "berth/solvers/partitioner.h"

#include <array>

#include "berth/base/error.h"

namespace berth {

std::string check_partition(Partitioner partition) {
  const PartitionGraph path{.begin = {0, 1, 3, 5, 6},
                            .neighbour = {1, 0, 2, 1, 3, 2},
                            .edge_weight = {1, 1, 1, 1, 1, 1},
                            .vertex_weight = {1, 1, 1, 1}};
  const std::optional<PartOfVertex> part = partition(path, std::array{0.5, 0.5}, 0.01, 1);
  if (part != PartOfVertex{0, 0, 1, 1} && part != PartOfVertex{1, 1, 0, 0})
    throw Error("it does not cut a path of four in the middle");
  return "cuts a path in the middle";
}

}  // namespace berth
