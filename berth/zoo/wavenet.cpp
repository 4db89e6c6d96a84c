// WaveNet: sound, sample by sample, by stacks of dilated causal convolutions.
//
// Layer i of a stack convolves two samples that lie 2^i apart, gates the result (tanh times
// sigmoid), adds it to its input, and sends it to the output as well; the outputs of all layers are
// summed. GDP places 2 stacks of 9 layers and 4 of 9.
//
// van den Oord et al., WaveNet: A Generative Model for Raw Audio, arXiv 1609.03499, 2016.

#include <cmath>

#include "berth/base/error.h"
#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, stacks = 2, layers = 9, length = 4096, channels = 128, levels = 256;
  void visit(auto& v) {
    v("batch", batch, "sounds per run");
    v("stacks", stacks, "of layers");
    v("layers", layers, "per stack; layer i looks 2^i samples back");
    v("length", length, "samples");
    v("channels", channels, "of the residual stream");
    v("levels", levels, "of a sample: inputs and outputs");
  }
};

constexpr int kMostLayers = 20;
constexpr double kBranchGain = 0.5;

// Two taps, `dilation` samples apart, with zeros before the beginning.
Value causal(NetworkBuilder& net, const std::string& name, const Value& x, std::int64_t channels,
             std::size_t dilation) {
  const std::int64_t inputs = extent(x, 1);
  const Value weight = net.weight(name + ".weight", {channels, inputs, 2},
                                  1 / std::sqrt(2.0 * static_cast<double>(inputs)));
  const Value y = make<op::v1::Convolution>(
      name, x, weight, ov::Strides{1}, ov::CoordinateDiff{static_cast<std::ptrdiff_t>(dilation)},
      ov::CoordinateDiff{0}, ov::Strides{dilation});
  return net.add(name + ".bias_add", y, net.bias(name + ".bias", {1, channels, 1}));
}

Value mixed(NetworkBuilder& net, const std::string& name, const Value& x, std::int64_t channels,
            double gain = 1) {
  return net.convolution(name, x, {.channels = channels, .kernel = {1}, .padding = {0}}, gain);
}

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  if (options.layers > kMostLayers)
    throw Error("zoo:wavenet(layers=...): layer i looks 2^i samples back, expected at most 20");
  const Value sound =
      net.input("sound", ov::element::f32, {options.batch, options.levels, options.length});
  Value x = causal(net, "input", sound, options.channels, 1), sum;
  for (int stack = 0; stack < options.stacks; ++stack)
    for (int layer = 0; layer < options.layers; ++layer) {
      const std::string at = "stack" + std::to_string(stack) + "." + std::to_string(layer);
      const Value both =
          causal(net, at + ".dilated", x, 2 * options.channels, std::size_t{1} << layer);
      const Value split = make<op::v1::Split>(at + ".split", both, net.integer(at + ".axis", 1), 2);
      const Value gated = net.multiply(at + ".gated", net.tanh(at + ".tanh", split),
                                       net.sigmoid(at + ".gate", split.get_node()->output(1)));
      const Value skip = mixed(net, at + ".skip", gated, 2 * options.channels);
      sum = sum.get_node() == nullptr ? skip : net.add(at + ".sum", sum, skip);
      // Nobody hears the residual of the last layer.
      if (stack + 1 < options.stacks || layer + 1 < options.layers)
        x = net.add(at + ".residual",
                    mixed(net, at + ".output", gated, options.channels, kBranchGain), x);
    }
  const Value hidden =
      net.relu("relu2", mixed(net, "output1", net.relu("relu1", sum), options.levels));
  return net.build(
      {{"levels", net.softmax("softmax", mixed(net, "output2", hidden, options.levels), 1)}});
}

}  // namespace

Network wavenet() {
  return network<Options, build>("wavenet", "sound: dilated causal convolutions");
}

}  // namespace berth::zoo
