// WaveNet: sound, sample by sample, by stacks of dilated causal convolutions.
//
// Layer i of a stack convolves two samples that lie 2^i apart, gates the result (tanh times
// sigmoid), adds it to its input, and sends it to the output as well; the outputs of all layers are
// summed. GDP places 2 stacks of 9 layers and 4 of 9.
//
// van den Oord et al., WaveNet: A Generative Model for Raw Audio, arXiv 1609.03499, 2016.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct WavenetOptions {
  int batch = 1;
  int stacks = 2;
  int layers = 9;
  int length = 4096;
  int channels = 128;
  int levels = 256;
  void visit(auto& v) {
    v("batch", batch, "sounds per run");
    v("stacks", stacks, "of layers");
    v("layers", layers, "per stack; layer i looks 2^i samples back");
    v("length", length, "samples");
    v("channels", channels, "of the residual stream");
    v("levels", levels, "of a sample: inputs and outputs");
  }
};

std::shared_ptr<ov::Model> wavenet(const WavenetOptions& options, bool values);

}  // namespace berth::zoo
