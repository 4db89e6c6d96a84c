// Transformer-XL: attention that reaches back into the segment before, with relative positions.
//
// The text is cut into segments. In layer n, segment t attends over its own states and those of
// segment t - 1 after layer n - 1 (the memory). A score has four parts; two biases u, v replace the
// position of the query:
//   score_ij = (q_i + u) . k_j + (q_i + v) . r_{i-j}
// The second product is computed for all distances at once and shifted row by row: pad with one
// column, reshape, drop the first row.
//
// Dai et al., Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context, ACL 2019.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct TransformerXlOptions {
  int batch = 1;
  int layers = 4;
  int segments = 4;
  int length = 64;
  int width = 512;
  int heads = 8;
  int vocabulary = 32000;
  void visit(auto& v) {
    v("batch", batch, "texts per run");
    v("layers", layers, "transformer layers");
    v("segments", segments, "one after another, unrolled");
    v("length", length, "words per segment");
    v("width", width, "of the hidden state; a multiple of heads");
    v("heads", heads, "of the attention");
    v("vocabulary", vocabulary, "words");
  }
};

std::shared_ptr<ov::Model> transformer_xl(const TransformerXlOptions& options, bool values);

}  // namespace berth::zoo
