// Translation with attention, unrolled: the NMT network of Post.
//
// LSTM encoder and decoder; after each decoder step attention by inner product over the encoder
// states, whose context is joined with the state to make the output of the step.
//
// Luong, Pham and Manning, Effective Approaches to Attention-based Neural Machine Translation,
// EMNLP 2015.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct NmtOptions {
  int batch = 1;
  int layers = 2;
  int steps = 40;
  int hidden = 1024;
  int vocabulary = 30000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of the encoder, and of the decoder");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words of each language");
  }
};

std::shared_ptr<ov::Model> nmt(const NmtOptions& options, bool values);

}  // namespace berth::zoo
