// Google's neural translation: deep LSTM encoder and decoder with attention, unrolled.
//
// The first encoder layer reads the sentence in both directions; from the third layer of each stack
// on, a layer adds its input to its output. The first decoder layer asks for attention (additive,
// over all encoder steps); the context goes into the layers above it and into its own next step. In
// training (import --training) 8 layers of 80 steps make more than 50 000 operators, the scale that
// GDP reports.
//
// Wu et al., Google's Neural Machine Translation System, arXiv 1609.08144, 2016.

#include <algorithm>

#include "berth/base/error.h"
#include "berth/zoo/network.h"
#include "berth/zoo/recurrent.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, layers = 2, steps = 80, hidden = 1024, vocabulary = 32000;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("layers", layers, "of the encoder, and of the decoder");
    v("steps", steps, "words per sentence, unrolled");
    v("hidden", hidden, "width of the states");
    v("vocabulary", vocabulary, "words of each language");
  }
};

constexpr int kFirstResidualLayer = 2;

std::string layer_name(const char* stack, int layer) { return stack + std::to_string(layer); }

Value with_residual(NetworkBuilder& net, const std::string& layer, std::size_t step, int depth,
                    const Value& in, const Value& out) {
  if (depth < kFirstResidualLayer) return out;
  return net.add(layer + "." + std::to_string(step) + ".residual", out, in);
}

std::vector<Value> both_directions(NetworkBuilder& net, const Options& options,
                                   const std::vector<Value>& words) {
  LstmLayer forward(net, "encoder0.forward", options.batch, options.hidden, options.hidden);
  LstmLayer backward(net, "encoder0.backward", options.batch, options.hidden, options.hidden);
  std::vector<Value> there, back;
  for (const Value& word : words) there.push_back(forward.step({word}));
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    back.push_back(backward.step({*word}));
  std::ranges::reverse(back);
  std::vector<Value> both;
  for (std::size_t t = 0; t < words.size(); ++t)
    both.push_back(net.concat("encoder0." + std::to_string(t) + ".both", {there[t], back[t]}, 1));
  return both;
}

std::vector<Value> encoded(NetworkBuilder& net, const Options& options,
                           const std::vector<Value>& words) {
  std::vector<Value> sequence = both_directions(net, options, words);
  for (int depth = 1; depth < options.layers; ++depth) {
    const std::string name = layer_name("encoder", depth);
    LstmLayer cells(net, name, options.batch, extent(sequence.front(), 1), options.hidden);
    for (std::size_t t = 0; t < sequence.size(); ++t)
      sequence[t] = with_residual(net, name, t, depth, sequence[t], cells.step({sequence[t]}));
  }
  return sequence;
}

std::vector<Value> decoded(NetworkBuilder& net, const Options& options,
                           const std::vector<Value>& words, const std::vector<Value>& memory) {
  std::vector<LstmLayer> layers;
  for (int depth = 0; depth < options.layers; ++depth)
    layers.emplace_back(net, layer_name("decoder", depth), options.batch, 2 * options.hidden,
                        options.hidden);
  Attention attention(net, "attention", Score::kAdditive, memory);
  Value context = constant("attention.start", {options.batch, options.hidden}, {0.0F});
  std::vector<Value> outputs;
  for (std::size_t t = 0; t < words.size(); ++t) {
    Value x = layers.front().step({words[t], context});
    context = attention.context(x);
    for (int depth = 1; depth < options.layers; ++depth)
      x = with_residual(net, layer_name("decoder", depth), t, depth, x,
                        layers[static_cast<std::size_t>(depth)].step({x, context}));
    outputs.push_back(x);
  }
  return outputs;
}

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  if (options.layers < 2)
    throw Error(
        "zoo:gnmt(layers=...): the first layer reads both ways and another must join them, "
        "expected at least 2");
  const auto words = [&](const std::string& name) {
    const Value ids = net.input(name, ov::element::i64, {options.batch, options.steps});
    return embedded_steps(net, name + ".embedding", ids, options.vocabulary, options.hidden);
  };
  const std::vector<Value> source = words("source"), target = words("target");
  const std::vector<Value> outputs = decoded(net, options, target, encoded(net, options, source));
  return net.build({{"words", word_probabilities(net, "output", outputs, options.vocabulary)}});
}

}  // namespace

Network gnmt() {
  return network<Options, build>("gnmt", "translation: deep unrolled LSTMs with attention");
}

}  // namespace berth::zoo
