// What the networks of the zoo are built with: OpenVINO operations with seeded random weights.
//
// A network looks as a converter with fp16 compression leaves it: every weight is a Constant of f16
// and a Convert to f32, BatchNorm is folded into the convolution before it, axes and shapes are i64
// Constants. Weights are normal with the standard deviation that keeps the variance of activations
// (He et al. 2015: sqrt(2 / inputs) before a Relu, sqrt(1 / inputs) elsewhere), so that outputs of
// deep networks stay finite and differ. Each weight has a random stream of its own, named after it;
// values are drawn from a table of 4096 normal numbers, which makes 100 million take a second.
//
// Without values the weights are zeros that take no memory until somebody reads them: enough to see
// the graph.
#pragma once

#include <openvino/op/ops.hpp>
#include <openvino/openvino.hpp>

namespace berth::zoo {

namespace op = ov::op;

using Value = ov::Output<ov::Node>;
using Shape = std::vector<std::int64_t>;

// Gives the operator its name and returns its first output.
template <class Op, class... Arguments>
Value make(const std::string& name, Arguments&&... arguments) {
  auto made = std::make_shared<Op>(std::forward<Arguments>(arguments)...);
  made->set_friendly_name(name);
  return made->output(0);
}

// The extent of a dimension; negative ones count from the back. Shapes are static in the zoo.
std::int64_t extent(const Value& value, std::int64_t dimension);

// A constant of f32 as it is: no weight. One value stands for all.
Value constant(const std::string& name, const Shape& shape, const std::vector<float>& values);

struct ConvolutionShape {
  std::int64_t channels = 0;  // of the output
  Shape kernel{1, 1};
  std::int64_t stride = 1;  // along every dimension
  Shape padding{0, 0};      // on both sides
};

class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, bool values);

  Value input(const std::string& name, ov::element::Type type, const Shape& shape);

  // Trained numbers: a weight of the given standard deviation, a scale about 1, a bias about 0.
  Value weight(const std::string& name, const Shape& shape, double deviation) {
    return compressed(name, shape, 0, deviation);
  }
  Value scale(const std::string& name, const Shape& shape) {
    return compressed(name, shape, 1, kBiasDeviation);
  }
  Value bias(const std::string& name, const Shape& shape) {
    return compressed(name, shape, 0, kBiasDeviation);
  }
  // A setting of the network, compressed like a weight.
  Value number(const std::string& name, float value, const Shape& shape = {}) {
    return compressed(name, shape, value, 0);
  }
  // Axes, shapes, indices.
  Value integers(const std::string& name, const std::vector<std::int64_t>& values) {
    return make<op::v0::Constant>(name, ov::element::i64, ov::Shape{values.size()}, values);
  }
  Value integer(const std::string& name, std::int64_t value) {
    return make<op::v0::Constant>(name, ov::element::i64, ov::Shape{}, Shape{value});
  }

  Value add(const std::string& name, const Value& a, const Value& b) {
    return make<op::v1::Add>(name, a, b);
  }
  Value multiply(const std::string& name, const Value& a, const Value& b) {
    return make<op::v1::Multiply>(name, a, b);
  }
  // Of matrices; `transposed`: b is.
  Value product(const std::string& name, const Value& a, const Value& b, bool transposed = false) {
    return make<op::v0::MatMul>(name, a, b, false, transposed);
  }
  Value relu(const std::string& name, const Value& x) { return make<op::v0::Relu>(name, x); }
  Value tanh(const std::string& name, const Value& x) { return make<op::v0::Tanh>(name, x); }
  Value sigmoid(const std::string& name, const Value& x) { return make<op::v0::Sigmoid>(name, x); }
  Value softmax(const std::string& name, const Value& x, std::int64_t axis) {
    return make<op::v8::Softmax>(name, x, axis);
  }
  Value reshape(const std::string& name, const Value& x, const Shape& shape) {
    return make<op::v1::Reshape>(name, x, integers(name + ".shape", shape), false);
  }
  Value transpose(const std::string& name, const Value& x, const std::vector<std::int64_t>& order) {
    return make<op::v1::Transpose>(name, x, integers(name + ".order", order));
  }
  Value concat(const std::string& name, const std::vector<Value>& parts, std::int64_t axis) {
    return make<op::v0::Concat>(name, parts, axis);
  }
  Value max_pool(const std::string& name, const Value& x, std::int64_t kernel, std::int64_t stride,
                 std::int64_t padding) {
    return make<op::v1::MaxPool>(name, x, ov::Strides(2, stride), ov::Shape(2, padding),
                                 ov::Shape(2, padding), ov::Shape(2, kernel));
  }
  Value average_pool(const std::string& name, const Value& x, std::int64_t kernel,
                     std::int64_t stride, std::int64_t padding) {
    return make<op::v1::AvgPool>(name, x, ov::Strides(2, stride), ov::Shape(2, padding),
                                 ov::Shape(2, padding), ov::Shape(2, kernel), false);
  }

  // Convolution + bias; `gain` scales the deviation of the weights.
  Value convolution(const std::string& name, const Value& x, const ConvolutionShape& shape,
                    double gain = 1);
  // x [.., inputs] times a weight [outputs, inputs], plus a bias.
  Value dense(const std::string& name, const Value& x, std::int64_t outputs, double gain = 1);
  // Mean 0 and variance 1 over the last dimension, then times `scale` plus `shift`.
  Value normalised(const std::string& name, const Value& x, const Value& scale, const Value& shift);
  // The same with a scale and shift of its own.
  Value layer_norm(const std::string& name, const Value& x);
  // The rows of a table [rows, width] that `ids` names.
  Value embedding(const std::string& name, const Value& ids, std::int64_t rows, std::int64_t width);
  // [batch, length, width] to [batch, heads, length, width / heads].
  Value split_heads(const std::string& name, const Value& x, std::int64_t heads);
  // Attention by head, from scores and values, side by side again: [batch, length, width].
  Value mixed_heads(const std::string& name, const Value& scores, const Value& values);

  std::shared_ptr<ov::Model> build(const std::vector<std::pair<std::string, Value>>& outputs);
  // With scores of the classes by the mean of the image x.
  std::shared_ptr<ov::Model> build_classifier(const Value& x, std::int64_t classes);

 private:
  static constexpr double kBiasDeviation = 0.05;

  // Constant of f16 and Convert.
  Value compressed(const std::string& name, const Shape& shape, double mean, double deviation);

  std::string name_;
  bool values_;
  std::vector<double> normal_;
  ov::ParameterVector inputs_;
};

}  // namespace berth::zoo
