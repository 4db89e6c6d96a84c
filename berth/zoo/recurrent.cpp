#include "berth/zoo/recurrent.h"

#include <cmath>

namespace berth::zoo {
namespace {

ov::OutputVector split(NetworkBuilder& net, const std::string& name, const Value& x,
                       std::int64_t axis, std::size_t parts) {
  const Value first = make<op::v1::Split>(name, x, net.integer(name + ".axis", axis), parts);
  return first.get_node_shared_ptr()->outputs();
}

// One [batch, width] per step to [batch, steps, width].
Value stacked(NetworkBuilder& net, const std::string& name, const std::string& row,
              const std::vector<Value>& steps) {
  std::vector<Value> rows;
  for (const Value& step : steps)
    rows.push_back(net.reshape(row + std::to_string(rows.size()), step,
                               {extent(step, 0), 1, extent(step, 1)}));
  return net.concat(name, rows, 1);
}

}  // namespace

LstmLayer::LstmLayer(NetworkBuilder& net, std::string name, std::int64_t batch, std::int64_t inputs,
                     std::int64_t hidden)
    : net_(net), name_(std::move(name)) {
  const std::int64_t rows = inputs + hidden, columns = 4 * hidden;
  weight_ =
      net.weight(name_ + ".weight", {rows, columns}, 1 / std::sqrt(static_cast<double>(rows)));
  bias_ = net.bias(name_ + ".bias", {1, columns});
  forget_bias_ = net.number(name_ + ".forget_bias", 1, {1, 1});
  h_ = constant(name_ + ".h0", {batch, hidden}, {0.0F});
  c_ = constant(name_ + ".c0", {batch, hidden}, {0.0F});
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

Attention::Attention(NetworkBuilder& net, std::string name, Score score,
                     const std::vector<Value>& memory)
    : net_(net), name_(std::move(name)), score_(score) {
  const std::int64_t width = extent(memory.front(), 1);
  memory_ = stacked(net, name_ + ".memory", name_ + ".memory", memory);
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  keys_ = net_.product(name_ + ".keys", memory_,
                       net.weight(name_ + ".memory_weight", {width, width}, deviation));
  if (score == Score::kProduct) return;
  query_weight_ = net.weight(name_ + ".query_weight", {width, width}, deviation);
  vector_ = net.weight(name_ + ".vector", {width, 1}, deviation);
}

// [batch, 1, steps]
Value Attention::scores(const std::string& at, const Value& query) {
  const std::int64_t batch = extent(memory_, 0), steps = extent(memory_, 1);
  const std::int64_t width = extent(memory_, 2);
  if (score_ == Score::kProduct)
    return net_.product(at + ".scores", net_.reshape(at + ".query", query, {batch, 1, width}),
                        keys_, true);
  const Value asked = net_.product(at + ".query", query, query_weight_);
  const Value sum =
      net_.add(at + ".sum", keys_, net_.reshape(at + ".query_row", asked, {batch, 1, width}));
  const Value column = net_.product(at + ".scores", net_.tanh(at + ".tanh", sum), vector_);
  return net_.reshape(at + ".scores_row", column, {batch, 1, steps});
}

Value Attention::context(const Value& query) {
  const std::string at = name_ + "." + std::to_string(calls_++);
  const Value weights = net_.softmax(at + ".softmax", scores(at, query), -1);
  const Value mixed = net_.product(at + ".context", weights, memory_);
  return net_.reshape(at + ".context_row", mixed, {extent(memory_, 0), extent(memory_, 2)});
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
  const Value rows = stacked(net, name + ".stacked", name + ".row", steps);
  return net.softmax(name + ".softmax", net.dense(name, rows, vocabulary), -1);
}

}  // namespace berth::zoo
