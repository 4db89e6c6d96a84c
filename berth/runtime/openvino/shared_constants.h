// Constants that several operators use: weights that are kept once.
//
// A constant of kTiedWeight or more belongs to all its users together; a smaller one (a scale, an
// axis) is copied to whoever needs it. Tied, its users share a device (colocation.h). Untied, it
// becomes a node of its own (model.h), unless something else holds all its users together anyway.
#pragma once

#include "berth/runtime/openvino/operators.h"

namespace berth {

inline constexpr Bytes kTiedWeight{16 << 10};

struct SharedConstant {
  const ov::op::v0::Constant* constant;
  std::vector<NodeId> users;  // two or more, in the order of the operators
};

Bytes size_of(const ov::op::v0::Constant& constant);

// By their first users.
std::vector<SharedConstant> shared_constants(const Operators& operators);

// Those whose users are not all of one group.
std::vector<SharedConstant> constants_between_groups(const Operators& operators,
                                                     const IdVector<NodeId, std::int32_t>& groups);

}  // namespace berth
