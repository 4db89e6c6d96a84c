// BERT-base: 12 transformer layers of width 768 over a sentence.
//
// As an exporter leaves it that does not fuse attention: scores, scale, mask, softmax and context
// are operators of their own; positions and the mask are computed from the shape of the input, and
// fold away when the model is opened. 1009 ops and 1071 edges in the compressed view, the count
// that HSDAG publishes. 109 million parameters.
//
// Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct BertBaseOptions {
  int batch = 1;
  int length = 128;
  int layers = 12;
  int width = 768;
  int heads = 12;
  int vocabulary = 30522;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("length", length, "tokens per sentence, at most 512");
    v("layers", layers, "transformer layers");
    v("width", width, "of the hidden state; a multiple of heads");
    v("heads", heads, "of the attention");
    v("vocabulary", vocabulary, "rows of the word table");
  }
};

std::shared_ptr<ov::Model> bert_base(const BertBaseOptions& options, bool values);

}  // namespace berth::zoo
