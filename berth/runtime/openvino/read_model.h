// A model file to an ov::Model with static input shapes.
//
// OpenVINO tells the formats apart itself: IR (.xml with its .bin), ONNX, TensorFlow, TensorFlow
// Lite, Paddle. A shape is taken from the source where it is given there: by the name of the input,
// or without a name when the model has one input; `batch` sets the first dimension (batch.h).
// Shapes that are still open after that are an Error that lists all inputs with what is known of
// them.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>
#include <openvino/runtime/core.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

std::shared_ptr<ov::Model> read_model(ov::Core& core, const ModelSource& source);

}  // namespace berth
