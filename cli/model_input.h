// Models as the input of a verb: files that OpenVINO reads, and networks of the zoo.
#pragma once

#include <string>

#include "berth/runtime/runtime.h"
#include "cli/input.h"

namespace berth {

// "zoo:...", a file with the extension of a model, or a folder that holds a saved TensorFlow model.
bool is_model(const std::string& input);

// What to open. Throws Error when a --shape is not one.
ModelSource model_source(const std::string& input, const InputOptions& options);

// Opens the model. On the devices of this machine its times are measured, as `profile` does, unless
// estimates are asked for or it is to be trained; on others, and on `cpu+gpu` when none are named,
// with a warning, they are estimated.
LoadedProblem load_model(const std::string& input, const InputOptions& options);

}  // namespace berth
