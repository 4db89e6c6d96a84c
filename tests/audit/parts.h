// A problem taken apart into plain fields, to be changed and put together again.
//
// The generator decorates problems with it (kinds.h), the shrinker takes pieces away (shrink.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/problem.h"

namespace berth::audit {

struct Parts {
  struct Use {
    std::size_t producer = 0;
    Tensor tensor;
    std::vector<std::size_t> consumers;
    std::vector<double> micros;  // given transfer times: one, or one per pair of devices
  };
  std::vector<Node> nodes;
  std::vector<std::vector<double>> times;  // by node, by device
  std::vector<Use> tensors;
  Cluster cluster;
  TransferSource transfers = TransferSource::kLinks;
  Constraints constraints;
  ExecutionModel model;

  explicit Parts(const Problem& problem);
  // Empty when the parts make no valid problem, or one with a node that runs nowhere.
  std::optional<Problem> build() const;

  // Each keeps the rest as it is; constraints that name what is gone go too.
  void drop_node(std::size_t node);
  void drop_device(std::size_t device);
};

}  // namespace berth::audit
