// The operators of a model that run, apart from what is known before it runs.
//
// An op is constant when it is a Constant or when all its inputs are constant (the decompression of
// a weight). What runs is everything else but Parameters and Results. The constants of an operator
// are the distinct Constants that reach one of its inputs through constant ops alone.
#pragma once

#include <unordered_map>

#include <openvino/op/constant.hpp>
#include <openvino/openvino.hpp>

#include "berth/base/ids.h"
#include "berth/base/units.h"

namespace berth {

struct Operators {
  IdVector<NodeId, std::shared_ptr<ov::Node>> ops;  // producers before consumers
  std::unordered_map<const ov::Node*, NodeId> node_of;
  IdVector<NodeId, std::vector<const ov::op::v0::Constant*>> constants;
};

Operators running_operators(const ov::Model& model);

// The distinct nodes that use an output of the operator. `leaves_model`: a Result does, too.
struct Users {
  std::vector<NodeId> nodes;
  bool leaves_model = false;
};
Users users_of(const Operators& operators, NodeId node);

// Elements of a shape; a dimension that depends on the data counts with its upper bound when it has
// one, and else as 1.
std::int64_t element_count(const ov::PartialShape& shape);
Bytes byte_size(const ov::element::Type& type, std::int64_t elements);

}  // namespace berth
