// Google's neural translation: deep LSTM encoder and decoder with attention, unrolled.
//
// The first encoder layer reads the sentence in both directions; from the third layer of each stack
// on, a layer adds its input to its output. The first decoder layer asks for attention (additive,
// over all encoder steps); the context goes into the layers above it and into its own next step. In
// training (import --training) 8 layers of 80 steps make more than 50 000 operators, the scale that
// GDP reports.
//
// Wu et al., Google's Neural Machine Translation System, arXiv 1609.08144, 2016.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct GnmtOptions {
  int batch = 1;
  int layers = 2;
  int steps = 80;
  int hidden = 1024;
  int vocabulary = 32000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of the encoder, and of the decoder");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words of each language");
  }
};

std::shared_ptr<ov::Model> gnmt(const GnmtOptions& options, bool values);

}  // namespace berth::zoo
