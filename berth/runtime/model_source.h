// Which inputs are models, and how their shapes are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/runtime/runtime.h"

namespace berth {

// "zoo:...", a file with the extension of a model, or a folder that holds a saved TensorFlow model.
bool is_model(const std::string& input);

// Throws Error when a file is no text, and so no problem, and no model either: it lists what would
// be. A file that is not there, or is called .json, is left to its reader, which says more.
void check_file_type(const std::string& input);

// `shapes` are "input=1,3,224,224", or "1,3,224,224" for the only input. Throws Error when one is
// not.
ModelSource model_source(const std::string& input, std::optional<std::int64_t> batch,
                         const std::vector<std::string>& shapes);

}  // namespace berth
