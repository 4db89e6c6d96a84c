#include "berth/zoo/rnnlm.h"

#include "berth/zoo/recurrent.h"

namespace berth::zoo {

std::shared_ptr<ov::Model> rnnlm(const RnnlmOptions& options, bool values) {
  NetworkBuilder net("rnnlm", values);
  const Value ids = net.input("ids", ov::element::i64, {options.batch, options.steps});
  std::vector<Value> sequence =
      embedded_steps(net, "embedding", ids, options.vocabulary, options.hidden);
  for (int layer = 0; layer < options.layers; ++layer) {
    LstmLayer cells(net, "lstm" + std::to_string(layer), options.batch, options.hidden,
                    options.hidden);
    for (Value& value : sequence) value = cells.step({value});
  }
  return net.build({{"words", word_probabilities(net, "output", sequence, options.vocabulary)}});
}

}  // namespace berth::zoo
