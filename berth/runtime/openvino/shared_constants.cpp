#include "berth/runtime/openvino/shared_constants.h"

#include <algorithm>

#include "berth/graph/graph.h"

namespace berth {

Bytes size_of(const ov::op::v0::Constant& constant) {
  return Bytes{static_cast<std::int64_t>(constant.get_byte_size())};
}

std::vector<SharedConstant> shared_constants(const Operators& operators) {
  std::vector<SharedConstant> all;
  std::unordered_map<const ov::Node*, std::size_t> position;
  for (const NodeId node : operators.ops.ids())
    for (const auto* constant : operators.constants[node]) {
      if (size_of(*constant) < kTiedWeight) continue;
      const auto [at, fresh] = position.try_emplace(constant, all.size());
      if (fresh) all.push_back({constant, {}});
      all[at->second].users.push_back(node);
    }
  std::erase_if(all, [](const SharedConstant& shared) { return shared.users.size() < 2; });
  return all;
}

std::vector<SharedConstant> constants_between_groups(const Operators& operators,
                                                     const IdVector<NodeId, std::int32_t>& groups) {
  std::vector<SharedConstant> all = shared_constants(operators);
  std::erase_if(all, [&](const SharedConstant& shared) {
    const std::int32_t first = groups[shared.users.front()];
    return first != kNoGroup &&
           std::ranges::all_of(shared.users, [&](NodeId user) { return groups[user] == first; });
  });
  return all;
}

}  // namespace berth
