// Long short-term memory, unrolled operator by operator as training graphs have it.
//
//   [i j f o] = [x, h] W + b
//   c' = c * sigmoid(f + 1) + sigmoid(i) * tanh(j)
//   h' = tanh(c') * sigmoid(o)
//
// 14 operators per step and layer: Concat, MatMul, Add, Split, Add, three Sigmoids, two Tanhs,
// three Multiplies and an Add. All steps of a layer use one weight, so they share a device.
//
// Hochreiter and Schmidhuber, Long Short-Term Memory, Neural Computation 1997.
#pragma once

#include <string>
#include <vector>

#include "berth/zoo/network_builder.h"

namespace berth::zoo {

class LstmLayer {
 public:
  // Inputs of width `inputs`, states of width `hidden`, zero at the beginning.
  LstmLayer(NetworkBuilder& net, std::string name, std::int64_t batch, std::int64_t inputs,
            std::int64_t hidden);

  // One step: the parts are [batch, width] each and together as wide as the inputs.
  Value step(const std::vector<Value>& parts);
  const Value& state() const { return h_; }

 private:
  NetworkBuilder& net_;
  std::string name_;
  Value weight_, bias_, forget_bias_, h_, c_;
  int steps_ = 0;
};

// [batch, width] of zeros.
Value zero_state(const std::string& name, std::int64_t batch, std::int64_t width);

// One [batch, width] per step of ids [batch, steps].
std::vector<Value> embedded_steps(NetworkBuilder& net, const std::string& name, const Value& ids,
                                  std::int64_t vocabulary, std::int64_t width);

// The sequence after `layers` LSTM layers as wide as itself, named NAME0, NAME1, ...
std::vector<Value> after_layers(NetworkBuilder& net, const std::string& name, int layers,
                                std::vector<Value> sequence);

// Stacks the steps again and gives each word of the vocabulary a probability:
// [batch, steps, vocabulary].
Value word_probabilities(NetworkBuilder& net, const std::string& name,
                         const std::vector<Value>& steps, std::int64_t vocabulary);

}  // namespace berth::zoo
