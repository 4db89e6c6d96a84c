#include "berth/zoo/network_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include "berth/base/random.h"

namespace berth::zoo {
namespace {

constexpr std::size_t kTableBits = 12;
constexpr std::size_t kTableSize = std::size_t{1} << kTableBits;
constexpr std::uint64_t kSeed = 1;
constexpr float kLayerNormEpsilon = 1e-12F;

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

// One extent in a tensor of as many dimensions as x, for what is the same along all others.
Shape along(const Value& x, std::size_t dimension, std::int64_t extent) {
  Shape shape(x.get_shape().size(), 1);
  shape[dimension] = extent;
  return shape;
}

Shape along_last(const Value& x, std::int64_t extent) {
  return along(x, x.get_shape().size() - 1, extent);
}

}  // namespace

std::int64_t extent(const Value& value, std::int64_t dimension) {
  const ov::Shape& shape = value.get_shape();
  if (dimension < 0) dimension += static_cast<std::int64_t>(shape.size());
  return static_cast<std::int64_t>(shape.at(static_cast<std::size_t>(dimension)));
}

Value constant(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  return make<op::v0::Constant>(name, ov::element::f32, ov::Shape(shape.begin(), shape.end()),
                                values);
}

NetworkBuilder::NetworkBuilder(std::string name, bool values)
    : name_(std::move(name)), values_(values), normal_(normal_table()) {}

Value NetworkBuilder::input(const std::string& name, ov::element::Type type, const Shape& shape) {
  auto parameter = std::make_shared<op::v0::Parameter>(
      type, ov::PartialShape(std::vector<ov::Dimension>(shape.begin(), shape.end())));
  parameter->set_friendly_name(name);
  parameter->output(0).set_names({name});
  inputs_.push_back(parameter);
  return parameter->output(0);
}

Value NetworkBuilder::compressed(const std::string& name, const Shape& shape, double mean,
                                 double deviation) {
  const ov::Shape extents(shape.begin(), shape.end());
  const std::size_t count = ov::shape_size(extents);
  const std::shared_ptr<ov::float16> values = zeroed(count);
  // Numbers that a network is set up with are there in any case: constant folding may read them.
  if (values_ || count == 1)
    fill(values.get(), count, normal_, Rng(kSeed).split(name), mean, deviation);
  const Value stored =
      make<op::v0::Constant>(name + "_compressed", ov::element::f16, extents, values.get(), values);
  return make<op::v0::Convert>(name, stored, ov::element::f32);
}

Value NetworkBuilder::convolution(const std::string& name, const Value& x,
                                  const ConvolutionShape& shape, double gain) {
  Shape weights{shape.channels, extent(x, 1)};
  weights.insert(weights.end(), shape.kernel.begin(), shape.kernel.end());
  const double fan_in =
      static_cast<double>(ov::shape_size(weights)) / static_cast<double>(shape.channels);
  const std::size_t dimensions = shape.kernel.size();
  const ov::CoordinateDiff padding(shape.padding);
  const ov::Strides strides(dimensions, static_cast<std::size_t>(shape.stride));
  const Value product = make<op::v1::Convolution>(
      name, x, weight(name + ".weight", weights, gain * std::sqrt(2 / fan_in)), strides, padding,
      padding, ov::Strides(dimensions, 1));
  return add(name + ".bias_add", product, bias(name + ".bias", along(x, 1, shape.channels)));
}

Value NetworkBuilder::dense(const std::string& name, const Value& x, std::int64_t outputs,
                            double gain) {
  const std::int64_t inputs = extent(x, -1);
  const Value weights =
      weight(name + ".weight", {outputs, inputs}, gain / std::sqrt(static_cast<double>(inputs)));
  return add(name + ".bias_add", product(name, x, weights, true),
             bias(name + ".bias", along_last(x, outputs)));
}

Value NetworkBuilder::normalised(const std::string& name, const Value& x, const Value& scale,
                                 const Value& shift) {
  const Value normal = make<op::v6::MVN>(name, x, integers(name + ".axes", {-1}), true,
                                         kLayerNormEpsilon, op::MVNEpsMode::INSIDE_SQRT);
  return add(name + ".shifted", multiply(name + ".scaled", normal, scale), shift);
}

Value NetworkBuilder::layer_norm(const std::string& name, const Value& x) {
  const Shape shape = along_last(x, extent(x, -1));
  return normalised(name, x, scale(name + ".weight", shape), bias(name + ".bias", shape));
}

Value NetworkBuilder::embedding(const std::string& name, const Value& ids, std::int64_t rows,
                                std::int64_t width) {
  const Value table = weight(name + ".weight", {rows, width}, 1);
  return make<op::v8::Gather>(name, table, ids, integer(name + ".axis", 0));
}

Value NetworkBuilder::split_heads(const std::string& name, const Value& x, std::int64_t heads) {
  const Value split =
      reshape(name + ".split", x, {extent(x, 0), extent(x, 1), heads, extent(x, 2) / heads});
  return transpose(name + ".heads", split, {0, 2, 1, 3});
}

Value NetworkBuilder::mixed_heads(const std::string& name, const Value& scores,
                                  const Value& values) {
  const Value mixed = product(name + ".context", softmax(name + ".softmax", scores, -1), values);
  return reshape(name + ".flat", transpose(name + ".joined", mixed, {0, 2, 1, 3}),
                 {extent(mixed, 0), extent(mixed, 2), extent(mixed, 1) * extent(mixed, 3)});
}

std::shared_ptr<ov::Model> NetworkBuilder::build(
    const std::vector<std::pair<std::string, Value>>& outputs) {
  ov::ResultVector results;
  for (const auto& [name, value] : outputs) {
    auto result = std::make_shared<op::v0::Result>(value);
    result->set_friendly_name(name);
    result->output(0).add_names({name});
    results.push_back(result);
  }
  return std::make_shared<ov::Model>(results, inputs_, name_);
}

std::shared_ptr<ov::Model> NetworkBuilder::build_classifier(const Value& x, std::int64_t classes) {
  const Value mean = make<op::v1::ReduceMean>("avgpool", x, integers("avgpool.axes", {2, 3}), true);
  const Value features = reshape("avgpool.flat", mean, {extent(x, 0), extent(x, 1)});
  return build({{"logits", dense("fc", features, classes)}});
}

}  // namespace berth::zoo
