#include "berth/zoo/network_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include <openvino/op/add.hpp>
#include <openvino/op/avg_pool.hpp>
#include <openvino/op/concat.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/op/convolution.hpp>
#include <openvino/op/gather.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/max_pool.hpp>
#include <openvino/op/multiply.hpp>
#include <openvino/op/mvn.hpp>
#include <openvino/op/reduce_mean.hpp>
#include <openvino/op/relu.hpp>
#include <openvino/op/reshape.hpp>
#include <openvino/op/result.hpp>
#include <openvino/op/sigmoid.hpp>
#include <openvino/op/softmax.hpp>
#include <openvino/op/tanh.hpp>
#include <openvino/op/transpose.hpp>

#include "berth/base/random.h"

namespace berth::zoo {
namespace {

using namespace ov::op;

constexpr std::size_t kTableBits = 12;
constexpr std::size_t kTableSize = std::size_t{1} << kTableBits;
constexpr std::uint64_t kSeed = 1;
constexpr double kBiasDeviation = 0.05;
constexpr double kLayerNormEpsilon = 1e-12;

// The quantiles of the normal distribution would do; drawn numbers need no inverse of erf.
std::vector<double> normal_table() {
  Rng rng = Rng(kSeed).split("table");
  std::vector<double> table(kTableSize);
  for (double& value : table) value = rng.normal();
  const double mean =
      std::accumulate(table.begin(), table.end(), 0.0) / static_cast<double>(kTableSize);
  for (double& value : table) value -= mean;
  return table;
}

// Zeroed by the system page by page when touched, so that unread weights take no memory.
std::shared_ptr<ov::float16> zeroed(std::size_t count) {
  void* memory = std::calloc(std::max<std::size_t>(count, 1), sizeof(ov::float16));
  if (memory == nullptr) throw std::bad_alloc();
  return {static_cast<ov::float16*>(memory), [](ov::float16* values) { std::free(values); }};
}

void fill(ov::float16* values, std::size_t count, const std::vector<double>& normal, Rng rng,
          double mean, double deviation) {
  std::vector<ov::float16> table(kTableSize);
  for (std::size_t i = 0; i < kTableSize; ++i)
    table[i] = ov::float16(static_cast<float>(mean + deviation * normal[i]));
  constexpr std::size_t kPerDraw = 64 / kTableBits;
  for (std::size_t at = 0; at < count; at += kPerDraw) {
    std::uint64_t bits = rng();
    for (std::size_t i = at; i < std::min(at + kPerDraw, count); ++i, bits >>= kTableBits)
      values[i] = table[bits & (kTableSize - 1)];
  }
}

}  // namespace

std::int64_t extent(const Value& value, std::int64_t dimension) {
  const ov::Shape& shape = value.get_shape();
  if (dimension < 0) dimension += static_cast<std::int64_t>(shape.size());
  return static_cast<std::int64_t>(shape.at(static_cast<std::size_t>(dimension)));
}

NetworkBuilder::NetworkBuilder(std::string name, bool values)
    : name_(std::move(name)), values_(values), normal_(normal_table()) {}

Value NetworkBuilder::input(const std::string& name, ov::element::Type type,
                            std::vector<std::int64_t> shape) {
  auto parameter = std::make_shared<v0::Parameter>(
      type, ov::PartialShape(std::vector<ov::Dimension>(shape.begin(), shape.end())));
  parameter->set_friendly_name(name);
  parameter->output(0).set_names({name});
  inputs_.push_back(parameter);
  return parameter->output(0);
}

Value NetworkBuilder::compressed(const std::string& name, const ov::Shape& shape, double mean,
                                 double deviation) {
  const std::size_t count = ov::shape_size(shape);
  const std::shared_ptr<ov::float16> values = zeroed(count);
  // Numbers that a network is set up with are there in any case: constant folding may read them.
  if (values_ || count == 1)
    fill(values.get(), count, normal_, Rng(kSeed).split(name), mean, deviation);
  const Value stored =
      make<v0::Constant>(name + "_compressed", ov::element::f16, shape, values.get(), values);
  return make<v0::Convert>(name, stored, ov::element::f32);
}

Value NetworkBuilder::weight(const std::string& name, const ov::Shape& shape, double deviation) {
  return compressed(name, shape, 0, deviation);
}

Value NetworkBuilder::weight_of_ones(const std::string& name, const ov::Shape& shape) {
  return compressed(name, shape, 1, kBiasDeviation);
}

Value NetworkBuilder::number(const std::string& name, float value, const ov::Shape& shape) {
  return compressed(name, shape, value, 0);
}

Value NetworkBuilder::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return make<v0::Constant>(name, ov::element::i64, ov::Shape{values.size()}, values);
}

Value NetworkBuilder::integer(const std::string& name, std::int64_t value) {
  return make<v0::Constant>(name, ov::element::i64, ov::Shape{}, std::vector<std::int64_t>{value});
}

Value NetworkBuilder::convolution(const std::string& name, const Value& x,
                                  const ConvolutionShape& shape, double gain) {
  const auto inputs = static_cast<std::size_t>(extent(x, 1));
  ov::Shape weights{static_cast<std::size_t>(shape.channels), inputs};
  weights.insert(weights.end(), shape.kernel.begin(), shape.kernel.end());
  const double fan_in =
      static_cast<double>(ov::shape_size(weights)) / static_cast<double>(shape.channels);
  const std::size_t dimensions = shape.kernel.size();
  const ov::CoordinateDiff padding(shape.padding);
  const Value product = make<v1::Convolution>(
      name, x, weight(name + ".weight", weights, gain * std::sqrt(2 / fan_in)),
      ov::Strides(dimensions, shape.stride), padding, padding, ov::Strides(dimensions, 1));
  ov::Shape bias(dimensions + 2, 1);
  bias[1] = static_cast<std::size_t>(shape.channels);
  return add(name + ".bias_add", product, weight(name + ".bias", bias, kBiasDeviation));
}

Value NetworkBuilder::relu(const std::string& name, const Value& x) {
  return make<v0::Relu>(name, x);
}

Value NetworkBuilder::dense(const std::string& name, const Value& x, std::int64_t outputs,
                            double gain) {
  const std::int64_t inputs = extent(x, -1);
  const Value weights = weight(
      name + ".weight", {static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs)},
      gain / std::sqrt(static_cast<double>(inputs)));
  ov::Shape bias(x.get_shape().size(), 1);
  bias.back() = static_cast<std::size_t>(outputs);
  return add(name + ".bias_add", product(name, x, weights, true),
             weight(name + ".bias", bias, kBiasDeviation));
}

Value NetworkBuilder::normalised(const std::string& name, const Value& x, const Value& scale,
                                 const Value& shift) {
  const Value normal =
      make<v6::MVN>(name, x, integers(name + ".axes", {-1}), true,
                    static_cast<float>(kLayerNormEpsilon), MVNEpsMode::INSIDE_SQRT);
  return add(name + ".shifted", multiply(name + ".scaled", normal, scale), shift);
}

Value NetworkBuilder::layer_norm(const std::string& name, const Value& x) {
  ov::Shape shape(x.get_shape().size(), 1);
  shape.back() = static_cast<std::size_t>(extent(x, -1));
  return normalised(name, x, weight_of_ones(name + ".weight", shape),
                    weight(name + ".bias", shape, kBiasDeviation));
}

Value NetworkBuilder::max_pool(const std::string& name, const Value& x, std::size_t kernel,
                               std::size_t stride, std::size_t padding) {
  return make<v1::MaxPool>(name, x, ov::Strides(2, stride), ov::Shape(2, padding),
                           ov::Shape(2, padding), ov::Shape(2, kernel));
}

Value NetworkBuilder::average_pool(const std::string& name, const Value& x, std::size_t kernel,
                                   std::size_t stride, std::size_t padding) {
  return make<v1::AvgPool>(name, x, ov::Strides(2, stride), ov::Shape(2, padding),
                           ov::Shape(2, padding), ov::Shape(2, kernel), false);
}

Value NetworkBuilder::mean_of_image(const std::string& name, const Value& x) {
  const Value mean = make<v1::ReduceMean>(name, x, integers(name + ".axes", {2, 3}), true);
  return reshape(name + ".flat", mean, {extent(x, 0), extent(x, 1)});
}

Value NetworkBuilder::reshape(const std::string& name, const Value& x,
                              const std::vector<std::int64_t>& shape) {
  return make<v1::Reshape>(name, x, integers(name + ".shape", shape), false);
}

Value NetworkBuilder::transpose(const std::string& name, const Value& x,
                                const std::vector<std::int64_t>& order) {
  return make<v1::Transpose>(name, x, integers(name + ".order", order));
}

Value NetworkBuilder::concat(const std::string& name, const std::vector<Value>& parts,
                             std::int64_t axis) {
  return make<v0::Concat>(name, ov::OutputVector(parts.begin(), parts.end()), axis);
}

Value NetworkBuilder::add(const std::string& name, const Value& a, const Value& b) {
  return make<v1::Add>(name, a, b);
}

Value NetworkBuilder::multiply(const std::string& name, const Value& a, const Value& b) {
  return make<v1::Multiply>(name, a, b);
}

Value NetworkBuilder::product(const std::string& name, const Value& a, const Value& b,
                              bool transposed) {
  return make<v0::MatMul>(name, a, b, false, transposed);
}

Value NetworkBuilder::tanh(const std::string& name, const Value& x) {
  return make<v0::Tanh>(name, x);
}

Value NetworkBuilder::sigmoid(const std::string& name, const Value& x) {
  return make<v0::Sigmoid>(name, x);
}

Value NetworkBuilder::softmax(const std::string& name, const Value& x, std::int64_t axis) {
  return make<v8::Softmax>(name, x, axis);
}

Value NetworkBuilder::embedding(const std::string& name, const Value& ids, std::int64_t rows,
                                std::int64_t width) {
  const Value table = weight(name + ".weight",
                             {static_cast<std::size_t>(rows), static_cast<std::size_t>(width)}, 1);
  return make<v8::Gather>(name, table, ids, integer(name + ".axis", 0));
}

std::shared_ptr<ov::Model> NetworkBuilder::build(
    const std::vector<std::pair<std::string, Value>>& outputs) {
  ov::ResultVector results;
  for (const auto& [name, value] : outputs) {
    auto result = std::make_shared<v0::Result>(value);
    result->set_friendly_name(name);
    result->output(0).add_names({name});
    results.push_back(result);
  }
  return std::make_shared<ov::Model>(results, inputs_, name_);
}

}  // namespace berth::zoo
