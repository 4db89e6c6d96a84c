// Another number of samples per run for a model that was exported with one.
//
// The batch is the first dimension of the first input, and of every other input that has there the
// same or nothing. Exporters also write it into the target shapes of Reshapes; one whose data and
// target both begin with the old batch gets the new one.
#pragma once

#include <openvino/openvino.hpp>

namespace berth {

// Throws what OpenVINO throws when the shapes do not fit together.
void set_batch(ov::Model& model, std::int64_t batch);

}  // namespace berth
