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

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <openvino/core/model.hpp>
#include <openvino/op/parameter.hpp>

namespace berth::zoo {

using Value = ov::Output<ov::Node>;

// Gives the operator its name and returns its first output.
template <class Op, class... Arguments>
Value make(const std::string& name, Arguments&&... arguments) {
  auto op = std::make_shared<Op>(std::forward<Arguments>(arguments)...);
  op->set_friendly_name(name);
  return op->output(0);
}

// The extent of a dimension; negative ones count from the back. Shapes are static in the zoo.
std::int64_t extent(const Value& value, std::int64_t dimension);

struct ConvolutionShape {
  std::int64_t channels = 0;  // of the output
  std::vector<std::size_t> kernel{1, 1};
  std::size_t stride = 1;                     // along every dimension
  std::vector<std::ptrdiff_t> padding{0, 0};  // on both sides
};

class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, bool values);

  Value input(const std::string& name, ov::element::Type type, std::vector<std::int64_t> shape);

  // A weight of the given standard deviation.
  Value weight(const std::string& name, const ov::Shape& shape, double deviation);
  Value weight_of_ones(const std::string& name, const ov::Shape& shape);
  // A setting of the network, compressed like a weight.
  Value number(const std::string& name, float value, const ov::Shape& shape = {});
  // Axes, shapes, indices.
  Value integers(const std::string& name, const std::vector<std::int64_t>& values);
  Value integer(const std::string& name, std::int64_t value);

  // Convolution + bias; `gain` scales the deviation of the weights.
  Value convolution(const std::string& name, const Value& x, const ConvolutionShape& shape,
                    double gain = 1);
  Value relu(const std::string& name, const Value& x);
  // x [.., inputs] times a weight [outputs, inputs], plus a bias.
  Value dense(const std::string& name, const Value& x, std::int64_t outputs, double gain = 1);
  // Mean 0 and variance 1 over the last dimension, then times `scale` plus `shift`.
  Value normalised(const std::string& name, const Value& x, const Value& scale, const Value& shift);
  // The same with a scale and shift of its own.
  Value layer_norm(const std::string& name, const Value& x);
  Value max_pool(const std::string& name, const Value& x, std::size_t kernel, std::size_t stride,
                 std::size_t padding);
  Value average_pool(const std::string& name, const Value& x, std::size_t kernel,
                     std::size_t stride, std::size_t padding);
  // Mean over the image, flattened: [batch, channels].
  Value mean_of_image(const std::string& name, const Value& x);
  Value reshape(const std::string& name, const Value& x, const std::vector<std::int64_t>& shape);
  Value transpose(const std::string& name, const Value& x, const std::vector<std::int64_t>& order);
  Value concat(const std::string& name, const std::vector<Value>& parts, std::int64_t axis);
  Value add(const std::string& name, const Value& a, const Value& b);
  Value multiply(const std::string& name, const Value& a, const Value& b);
  // Of matrices; `transposed`: b is.
  Value product(const std::string& name, const Value& a, const Value& b, bool transposed = false);
  Value tanh(const std::string& name, const Value& x);
  Value sigmoid(const std::string& name, const Value& x);
  Value softmax(const std::string& name, const Value& x, std::int64_t axis);
  // The rows of a table [rows, width] that `ids` names.
  Value embedding(const std::string& name, const Value& ids, std::int64_t rows, std::int64_t width);

  std::shared_ptr<ov::Model> build(const std::vector<std::pair<std::string, Value>>& outputs);

 private:
  // Constant of f16 and Convert.
  Value compressed(const std::string& name, const ov::Shape& shape, double mean, double deviation);

  std::string name_;
  bool values_;
  std::vector<double> normal_;
  ov::ParameterVector inputs_;
};

}  // namespace berth::zoo
