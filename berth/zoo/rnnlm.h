// A recurrent language model: LSTM layers over a sentence, a softmax over the vocabulary.
//
// One of the networks of GDP and Post, which train it with 2, 4 or 8 layers. All steps of a layer
// share a device because they share a weight; layers can form a pipeline over the steps.
//
// Jozefowicz et al., Exploring the Limits of Language Modeling, arXiv 1602.02410, 2016.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct RnnlmOptions {
  int batch = 1;
  int layers = 2;
  int steps = 40;
  int hidden = 1024;
  int vocabulary = 10000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of LSTM cells");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words");
  }
};

std::shared_ptr<ov::Model> rnnlm(const RnnlmOptions& options, bool values);

}  // namespace berth::zoo
