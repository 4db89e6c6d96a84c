// Translation with attention, unrolled: the NMT network of Post.
//
// LSTM encoder and decoder; after each decoder step attention by inner product over the encoder
// states, whose context is joined with the state to make the output of the step.
//
// Luong, Pham and Manning, Effective Approaches to Attention-based Neural Machine Translation,
// EMNLP 2015.

#include <cmath>

#include "berth/zoo/network.h"
#include "berth/zoo/recurrent.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, layers = 2, steps = 40, hidden = 1024, vocabulary = 30000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of the encoder, and of the decoder");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words of each language");
  }
};

// tanh of a dense layer over context and state; all steps share its weight.
std::vector<Value> attended(NetworkBuilder& net, const Options& options,
                            const std::vector<Value>& states, const std::vector<Value>& memory) {
  Attention attention(net, "attention", Score::kProduct, memory);
  const std::int64_t width = options.hidden;
  const Value weight = net.weight("attention.output_weight", {2 * width, width},
                                  1 / std::sqrt(2.0 * options.hidden));
  std::vector<Value> outputs;
  for (std::size_t t = 0; t < states.size(); ++t) {
    const std::string at = "attention." + std::to_string(t);
    const Value joined = net.concat(at + ".joined", {attention.context(states[t]), states[t]}, 1);
    outputs.push_back(net.tanh(at + ".tanh", net.product(at + ".output", joined, weight)));
  }
  return outputs;
}

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  const auto words = [&](const std::string& name) {
    const Value ids = net.input(name, ov::element::i64, {options.batch, options.steps});
    return embedded_steps(net, name + ".embedding", ids, options.vocabulary, options.hidden);
  };
  const std::vector<Value> source = words("source"), target = words("target");
  const std::vector<Value> memory = after_layers(net, "encoder", options.layers, source);
  const std::vector<Value> states = after_layers(net, "decoder", options.layers, target);
  const std::vector<Value> outputs = attended(net, options, states, memory);
  return net.build({{"words", word_probabilities(net, "output", outputs, options.vocabulary)}});
}

}  // namespace

Network nmt() {
  return network<Options, build>("nmt", "translation: unrolled LSTMs with attention");
}

}  // namespace berth::zoo
