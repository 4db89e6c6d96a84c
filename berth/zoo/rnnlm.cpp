// A recurrent language model: LSTM layers over a sentence, a softmax over the vocabulary.
//
// One of the networks of GDP and Post, which train it with 2, 4 or 8 layers. All steps of a layer
// share a device because they share a weight, unless it is untied; layers can form a pipeline over
// the steps.
//
// Jozefowicz et al., Exploring the Limits of Language Modeling, arXiv 1602.02410, 2016.

#include "berth/zoo/network.h"
#include "berth/zoo/recurrent.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, layers = 2, steps = 40, hidden = 1024, vocabulary = 10000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of LSTM cells");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words");
  }
};

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  const Value ids = net.input("ids", ov::element::i64, {options.batch, options.steps});
  const std::vector<Value> sequence =
      after_layers(net, "lstm", options.layers,
                   embedded_steps(net, "embedding", ids, options.vocabulary, options.hidden));
  return net.build({{"words", word_probabilities(net, "output", sequence, options.vocabulary)}});
}

}  // namespace

Network rnnlm() { return network<Options, build>("rnnlm", "language: unrolled LSTM layers"); }

}  // namespace berth::zoo
