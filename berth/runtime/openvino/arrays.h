// Inputs for a model, and its outputs as plain numbers.
#pragma once

#include <openvino/openvino.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

// One tensor per Parameter, the same for every call: standard normal for real numbers, 0 or 1 for
// integers, which is in range for indices and right for masks.
std::vector<ov::Tensor> seeded_inputs(const ov::Model& model);

Array to_array(std::string name, const ov::Tensor& tensor);

// Of each output the name of its tensor where it has one, else of the operator that makes it.
std::vector<std::string> output_names(const ov::Model& model);

}  // namespace berth
