// Replaces what is computed from constants alone by its value.
//
// Shape subgraphs (ShapeOf -> Gather -> Concat -> Reshape) become constants, because the shapes of
// all inputs are known. A cut through such a subgraph would turn static shapes into dynamic ones.
//
// The decompression of weights (a Constant of f16, bf16, 8 or 4 bits, a Convert to float, and the
// scale and zero point behind it) stays as it is: folded, it would take two to eight times the
// memory, and the bytes of a model would no longer be those of its file.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth {

void fold_constants(const std::shared_ptr<ov::Model>& model);

}  // namespace berth
