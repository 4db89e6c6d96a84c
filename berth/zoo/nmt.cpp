#include "berth/zoo/nmt.h"

#include <cmath>

#include <openvino/op/matmul.hpp>

#include "berth/zoo/attention.h"
#include "berth/zoo/recurrent.h"

namespace berth::zoo {
namespace {

std::vector<Value> stack(NetworkBuilder& net, const NmtOptions& options, const std::string& name,
                         std::vector<Value> sequence) {
  for (int layer = 0; layer < options.layers; ++layer) {
    LstmLayer cells(net, name + std::to_string(layer), options.batch, options.hidden,
                    options.hidden);
    for (Value& value : sequence) value = cells.step({value});
  }
  return sequence;
}

// tanh of a dense layer over context and state; all steps share its weight.
std::vector<Value> attended(NetworkBuilder& net, const NmtOptions& options,
                            const std::vector<Value>& states, const std::vector<Value>& memory) {
  Attention attention(net, "attention", Score::kProduct, memory);
  const auto width = static_cast<std::size_t>(options.hidden);
  const Value weight = net.weight("attention.output_weight", {2 * width, width},
                                  1 / std::sqrt(2.0 * static_cast<double>(width)));
  std::vector<Value> outputs;
  for (std::size_t t = 0; t < states.size(); ++t) {
    const std::string at = "attention." + std::to_string(t);
    const Value joined = net.concat(at + ".joined", {attention.context(states[t]), states[t]}, 1);
    outputs.push_back(net.tanh(
        at + ".tanh", make<ov::op::v0::MatMul>(at + ".output", joined, weight, false, false)));
  }
  return outputs;
}

}  // namespace

std::shared_ptr<ov::Model> nmt(const NmtOptions& options, bool values) {
  NetworkBuilder net("nmt", values);
  const std::vector<std::int64_t> shape{options.batch, options.steps};
  const Value source = net.input("source", ov::element::i64, shape);
  const Value target = net.input("target", ov::element::i64, shape);
  const std::vector<Value> memory =
      stack(net, options, "encoder",
            embedded_steps(net, "source.embedding", source, options.vocabulary, options.hidden));
  const std::vector<Value> states =
      stack(net, options, "decoder",
            embedded_steps(net, "target.embedding", target, options.vocabulary, options.hidden));
  return net.build(
      {{"words", word_probabilities(net, "output", attended(net, options, states, memory),
                                    options.vocabulary)}});
}

}  // namespace berth::zoo
