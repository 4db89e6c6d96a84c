#include "berth/zoo/recurrent.h"

#include <cmath>

#include <openvino/op/constant.hpp>
#include <openvino/op/split.hpp>

namespace berth::zoo {
namespace {

using namespace ov::op;

ov::OutputVector split(NetworkBuilder& net, const std::string& name, const Value& x,
                       std::int64_t axis, std::size_t parts) {
  const Value first = make<v1::Split>(name, x, net.integer(name + ".axis", axis), parts);
  return first.get_node_shared_ptr()->outputs();
}

}  // namespace

Value zero_state(const std::string& name, std::int64_t batch, std::int64_t width) {
  return make<v0::Constant>(
      name, ov::element::f32,
      ov::Shape{static_cast<std::size_t>(batch), static_cast<std::size_t>(width)}, 0.0F);
}

LstmLayer::LstmLayer(NetworkBuilder& net, std::string name, std::int64_t batch, std::int64_t inputs,
                     std::int64_t hidden)
    : net_(net), name_(std::move(name)) {
  const auto rows = static_cast<std::size_t>(inputs + hidden);
  const auto columns = static_cast<std::size_t>(4 * hidden);
  weight_ =
      net.weight(name_ + ".weight", {rows, columns}, 1 / std::sqrt(static_cast<double>(rows)));
  bias_ = net.weight(name_ + ".bias", {1, columns}, 0.05);
  forget_bias_ = net.number(name_ + ".forget_bias", 1, {1, 1});
  h_ = zero_state(name_ + ".h0", batch, hidden);
  c_ = zero_state(name_ + ".c0", batch, hidden);
}

Value LstmLayer::step(const std::vector<Value>& parts) {
  const std::string at = name_ + "." + std::to_string(steps_++);
  std::vector<Value> read = parts;
  read.push_back(h_);
  const Value product =
      net_.product(at + ".product", net_.concat(at + ".concat", read, 1), weight_);
  const ov::OutputVector gates =
      split(net_, at + ".gates", net_.add(at + ".bias_add", product, bias_), 1, 4);
  const Value in = net_.sigmoid(at + ".in", gates[0]);
  const Value candidate = net_.tanh(at + ".candidate", gates[1]);
  const Value forget =
      net_.sigmoid(at + ".forget", net_.add(at + ".forget_add", gates[2], forget_bias_));
  const Value out = net_.sigmoid(at + ".out", gates[3]);
  c_ = net_.add(at + ".c", net_.multiply(at + ".kept", c_, forget),
                net_.multiply(at + ".added", in, candidate));
  h_ = net_.multiply(at + ".h", net_.tanh(at + ".c_tanh", c_), out);
  return h_;
}

std::vector<Value> embedded_steps(NetworkBuilder& net, const std::string& name, const Value& ids,
                                  std::int64_t vocabulary, std::int64_t width) {
  const Value words = net.embedding(name, ids, vocabulary, width);
  const auto steps = static_cast<std::size_t>(extent(words, 1));
  std::vector<Value> result;
  std::size_t at = 0;
  for (const Value& slice : split(net, name + ".steps", words, 1, steps))
    result.push_back(
        net.reshape(name + ".step" + std::to_string(at++), slice, {extent(words, 0), width}));
  return result;
}

std::vector<Value> after_layers(NetworkBuilder& net, const std::string& name, int layers,
                                std::vector<Value> sequence) {
  const std::int64_t batch = extent(sequence.front(), 0), width = extent(sequence.front(), 1);
  for (int layer = 0; layer < layers; ++layer) {
    LstmLayer cells(net, name + std::to_string(layer), batch, width, width);
    for (Value& value : sequence) value = cells.step({value});
  }
  return sequence;
}

Value word_probabilities(NetworkBuilder& net, const std::string& name,
                         const std::vector<Value>& steps, std::int64_t vocabulary) {
  std::vector<Value> rows;
  for (std::size_t i = 0; i < steps.size(); ++i)
    rows.push_back(net.reshape(name + ".row" + std::to_string(i), steps[i],
                               {extent(steps[i], 0), 1, extent(steps[i], 1)}));
  const Value logits = net.dense(name, net.concat(name + ".stacked", rows, 1), vocabulary);
  return net.softmax(name + ".softmax", logits, -1);
}

}  // namespace berth::zoo
