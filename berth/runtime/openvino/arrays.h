// Inputs for a model, and its outputs as plain numbers.
#pragma once

#include <string>
#include <vector>

#include <openvino/core/model.hpp>
#include <openvino/runtime/tensor.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

// One tensor per Parameter, the same for every call: standard normal for real numbers, 0 or 1 for
// integers, which is in range for indices and right for masks.
std::vector<ov::Tensor> seeded_inputs(const ov::Model& model);

Array to_array(std::string name, const ov::Tensor& tensor);

// The name of the i-th output: of its tensor where it has one, else of the operator that makes it.
std::string output_name(const ov::Model& model, std::size_t i);

}  // namespace berth
