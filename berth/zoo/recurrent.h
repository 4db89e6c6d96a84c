// Long short-term memory, unrolled operator by operator as training graphs have it, and attention.
//
//   [i j f o] = [x, h] W + b
//   c' = c * sigmoid(f + 1) + sigmoid(i) * tanh(j)
//   h' = tanh(c') * sigmoid(o)
//
// 14 operators per step and layer: Concat, MatMul, Add, Split, Add, three Sigmoids, two Tanhs,
// three Multiplies and an Add. All steps of a layer use one weight, so they share a device unless
// weights are untied.
//
// Attention of a decoder step over the states of an encoder:
//
//   additive   score_s = v . tanh(W_q h + W_m m_s)      Bahdanau et al., ICLR 2015
//   product    score_s = h . W_m m_s                    Luong et al., EMNLP 2015
//   context    sum over s of softmax(score)_s m_s
//
// Hochreiter and Schmidhuber, Long Short-Term Memory, Neural Computation 1997.
#pragma once

#include "berth/zoo/network_builder.h"

namespace berth::zoo {

class LstmLayer {
 public:
  // Inputs of width `inputs`, states of width `hidden`, zero at the beginning.
  LstmLayer(NetworkBuilder& net, std::string name, std::int64_t batch, std::int64_t inputs,
            std::int64_t hidden);

  // One step: the parts are [batch, width] each and together as wide as the inputs.
  Value step(const std::vector<Value>& parts);

 private:
  NetworkBuilder& net_;
  std::string name_;
  Value weight_, bias_, forget_bias_, h_, c_;
  int steps_ = 0;
};

enum class Score { kAdditive, kProduct };

class Attention {
 public:
  // The memory is one [batch, width] per encoder step.
  Attention(NetworkBuilder& net, std::string name, Score score, const std::vector<Value>& memory);

  // [batch, width] for a query [batch, width].
  Value context(const Value& query);

 private:
  Value scores(const std::string& at, const Value& query);

  NetworkBuilder& net_;
  std::string name_;
  Score score_;
  Value memory_, keys_, query_weight_, vector_;
  int calls_ = 0;
};

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
