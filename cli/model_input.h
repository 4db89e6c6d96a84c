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

// Opens the model and estimates its times on --devices; without them on `cpu+gpu`, with a warning.
LoadedProblem load_model(const std::string& input, const InputOptions& options);

}  // namespace berth
