#include "berth/zoo/attention.h"

#include <cmath>

namespace berth::zoo {

Attention::Attention(NetworkBuilder& net, std::string name, Score score,
                     const std::vector<Value>& memory)
    : net_(net), name_(std::move(name)), score_(score) {
  const std::int64_t batch = extent(memory.front(), 0), width = extent(memory.front(), 1);
  std::vector<Value> rows;
  for (std::size_t i = 0; i < memory.size(); ++i)
    rows.push_back(
        net.reshape(name_ + ".memory" + std::to_string(i), memory[i], {batch, 1, width}));
  memory_ = net.concat(name_ + ".memory", rows, 1);
  const auto size = static_cast<std::size_t>(width);
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  keys_ = net_.product(name_ + ".keys", memory_,
                       net.weight(name_ + ".memory_weight", {size, size}, deviation));
  if (score == Score::kProduct) return;
  query_weight_ = net.weight(name_ + ".query_weight", {size, size}, deviation);
  vector_ = net.weight(name_ + ".vector", {size, 1}, deviation);
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

}  // namespace berth::zoo
