#include "berth/runtime/openvino/flops.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <openvino/core/model.hpp>
#include <openvino/op/einsum.hpp>
#include <openvino/op/interpolate.hpp>
#include <openvino/op/lrn.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/util/avg_pool_base.hpp>
#include <openvino/op/util/interpolate_base.hpp>
#include <openvino/op/util/max_pool_base.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>
#include <openvino/op/util/rnn_cell_base.hpp>
#include <openvino/op/util/sub_graph_base.hpp>

#include "berth/runtime/openvino/operators.h"

namespace berth {
namespace {

double elements(const ov::PartialShape& shape) { return static_cast<double>(element_count(shape)); }
double outputs(const ov::Node& op) { return elements(op.get_output_partial_shape(0)); }
double inputs(const ov::Node& op, std::size_t port = 0) {
  return elements(op.get_input_partial_shape(port));
}
double product(const ov::Shape& shape) { return static_cast<double>(ov::shape_size(shape)); }

// A dimension of an input, counted from the front, or from the back when negative; 1 if unknown.
double dimension(const ov::Node& op, std::size_t port, std::int64_t at) {
  const ov::PartialShape& shape = op.get_input_partial_shape(port);
  if (shape.rank().is_dynamic()) return 1;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (at < 0) at += rank;
  if (at < 0 || at >= rank) return 1;
  return std::max(1.0, static_cast<double>(shape[static_cast<std::size_t>(at)].get_max_length()));
}

// ---- products ----

// Weights [output channels, input channels, kernel...].
double convolution(const ov::Node& op) {
  return 2 * outputs(op) * inputs(op, 1) / dimension(op, 1, 0);
}
// Weights [groups, output channels, input channels, kernel...].
double group_convolution(const ov::Node& op) {
  return 2 * outputs(op) * inputs(op, 1) / (dimension(op, 1, 0) * dimension(op, 1, 1));
}
// Weights [input channels, output channels, kernel...]: each input element reaches all of them.
double transposed_convolution(const ov::Node& op) {
  return 2 * inputs(op) * inputs(op, 1) / dimension(op, 1, 0);
}
double transposed_group_convolution(const ov::Node& op) {
  return 2 * inputs(op) * inputs(op, 1) / (dimension(op, 1, 0) * dimension(op, 1, 1));
}
// Weights at input 2; bilinear sampling of each tap adds 8.
double deformable_convolution(const ov::Node& op) {
  const double taps = inputs(op, 2) / dimension(op, 2, 0);
  return (2 + 8 / std::max(1.0, dimension(op, 2, 0))) * outputs(op) * taps;
}

double matmul(const ov::Node& op) {
  const auto* product = ov::as_type<const ov::op::v0::MatMul>(&op);
  const bool transposed =
      product != nullptr && product->get_transpose_a() && op.get_input_partial_shape(0).size() > 1;
  return 2 * outputs(op) * dimension(op, 0, transposed ? -2 : -1);
}

double attention(const ov::Node& op) {
  const double width = dimension(op, 0, -1), keys = dimension(op, 1, -2);
  const double scores = inputs(op) / width * keys;
  return scores * (2 * width + 5 + 2 * dimension(op, 2, -1));
}

// "ij,jk->ik": the product of all distinct dimensions, one multiplication and one addition each.
double einsum(const ov::Node& op) {
  const auto* sum = ov::as_type<const ov::op::v7::Einsum>(&op);
  if (sum == nullptr) return outputs(op);
  const std::string equation = sum->get_equation();
  std::map<char, double> size;
  std::size_t port = 0;
  std::int64_t at = 0;
  for (const char c : equation.substr(0, equation.find('-'))) {
    if (c == ',') {
      ++port;
      at = 0;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      size[c] = dimension(op, port, at++);
    }
  }
  double count = 2;
  for (const auto& [label, extent] : size) count *= extent;
  return count;
}

// ---- recurrent cells: x [batch, inputs], h [batch, hidden] ----

double cell_step(const ov::Node& op, double gates, double pointwise) {
  const auto* cell = ov::as_type<const ov::op::util::RNNCellBase>(&op);
  const double hidden = cell == nullptr ? 1 : static_cast<double>(cell->get_hidden_size());
  const double batch = dimension(op, 0, 0);
  return batch * hidden * (gates * 2 * (dimension(op, 0, -1) + hidden) + pointwise);
}
// An LSTM adds 4 biases, has 5 functions, 3 products and 1 sum; the others likewise.
double lstm(const ov::Node& op) { return cell_step(op, 4, 13); }
double gru(const ov::Node& op) { return cell_step(op, 3, 11); }
double rnn(const ov::Node& op) { return cell_step(op, 1, 2); }

// x [batch, steps, inputs]; the initial state [batch, directions, hidden] says how many directions.
double steps_of(const ov::Node& op) { return dimension(op, 0, 1) * dimension(op, 1, 1); }
double lstm_sequence(const ov::Node& op) { return steps_of(op) * lstm(op); }
double gru_sequence(const ov::Node& op) { return steps_of(op) * gru(op); }
double rnn_sequence(const ov::Node& op) { return steps_of(op) * rnn(op); }

// ---- windows, reductions, resampling ----

double max_pool(const ov::Node& op) {
  const auto* pool = ov::as_type<const ov::op::util::MaxPoolBase>(&op);
  return outputs(op) * (pool == nullptr ? 1 : product(pool->get_kernel()));
}
double average_pool(const ov::Node& op) {
  const auto* pool = ov::as_type<const ov::op::util::AvgPoolBase>(&op);
  return outputs(op) * (pool == nullptr ? 1 : product(pool->get_kernel()));
}
double per_input(const ov::Node& op) { return inputs(op); }

// Local response: a square and a sum over the window, then scale, power and division.
double local_response(const ov::Node& op) {
  const auto* norm = ov::as_type<const ov::op::v0::LRN>(&op);
  const double window = norm == nullptr ? 1 : static_cast<double>(norm->get_nsize());
  return outputs(op) * (2 * window + 4);
}

// Nearest copies; linear weighs 2 and cubic 4 neighbours along each dimension that changes.
double interpolate(const ov::Node& op) {
  using Mode = ov::op::util::InterpolateBase::InterpolateMode;
  const auto* resize = ov::as_type<const ov::op::util::InterpolateBase>(&op);
  if (resize == nullptr) return outputs(op);
  const Mode mode = resize->get_attrs().mode;
  if (mode == Mode::NEAREST) return 0;
  const bool cubic = mode == Mode::CUBIC || mode == Mode::BICUBIC_PILLOW;
  double neighbours = 1;
  const ov::PartialShape &from = op.get_input_partial_shape(0),
                         &to = op.get_output_partial_shape(0);
  if (from.rank().is_static() && to.rank().is_static())
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != to[i]) neighbours *= cubic ? 4 : 2;
  return 2 * neighbours * outputs(op);
}

template <int count>
double per_output(const ov::Node& op) {
  return count * outputs(op);
}

double body_flops(const ov::op::util::MultiSubGraphOp& op) {
  double largest = 0;
  for (std::size_t i = 0; i < op.get_internal_subgraphs_size(); ++i) {
    double sum = 0;
    for (const auto& inner : op.get_function(static_cast<int>(i))->get_ops()) sum += flops(*inner);
    largest = std::max(largest, sum);
  }
  const auto* loop = ov::as_type<const ov::op::util::SubGraphOp>(&op);
  const double rounds =
      loop == nullptr
          ? 1
          : static_cast<double>(const_cast<ov::op::util::SubGraphOp*>(loop)->get_num_iterations());
  return largest * std::max(1.0, rounds);
}

using Rule = double (*)(const ov::Node&);

// By type name, which all versions of an operator share.
const std::unordered_map<std::string_view, Rule>& rules() {
  static const std::unordered_map<std::string_view, Rule> kRules{
      {"Convolution", convolution},
      {"BinaryConvolution", convolution},
      {"GroupConvolution", group_convolution},
      {"ConvolutionBackpropData", transposed_convolution},
      {"GroupConvolutionBackpropData", transposed_group_convolution},
      {"DeformableConvolution", deformable_convolution},
      {"MatMul", matmul},
      {"ScaledDotProductAttention", attention},
      {"Einsum", einsum},
      {"LSTMCell", lstm},
      {"GRUCell", gru},
      {"RNNCell", rnn},
      {"LSTMSequence", lstm_sequence},
      {"GRUSequence", gru_sequence},
      {"RNNSequence", rnn_sequence},
      {"MaxPool", max_pool},
      {"AvgPool", average_pool},
      {"AdaptiveAvgPool", per_input},
      {"AdaptiveMaxPool", per_input},
      {"ReduceMean", per_input},
      {"ReduceSum", per_input},
      {"ReduceMax", per_input},
      {"ReduceMin", per_input},
      {"ReduceProd", per_input},
      {"ReduceL1", per_input},
      {"ReduceL2", per_input},
      {"ReduceLogicalAnd", per_input},
      {"ReduceLogicalOr", per_input},
      {"CumSum", per_input},
      {"TopK", per_input},
      {"NonMaxSuppression", per_input},
      {"LRN", local_response},
      {"Interpolate", interpolate},
      {"Softmax", per_output<5>},
      {"LogSoftmax", per_output<5>},
      {"MVN", per_output<5>},
      {"GroupNormalization", per_output<7>},
      {"BatchNormInference", per_output<2>},
      {"NormalizeL2", per_output<3>},
      {"GRN", per_output<3>},
      {"FakeQuantize", per_output<5>},
      {"Gelu", per_output<5>},
      {"Mish", per_output<4>},
      {"HSwish", per_output<4>},
      {"HSigmoid", per_output<3>},
      {"HardSigmoid", per_output<4>},
      {"SoftPlus", per_output<3>},
      {"Selu", per_output<3>},
      {"Elu", per_output<3>},
      {"Swish", per_output<2>},
      {"PRelu", per_output<2>},
      {"Clamp", per_output<2>},
      {"SquaredDifference", per_output<2>},
  };
  return kRules;
}

// They move, rename, create or select, and compute nothing.
bool moves_data(std::string_view type) {
  static const std::unordered_set<std::string_view> kMoves{"Parameter",
                                                           "Constant",
                                                           "Result",
                                                           "Reshape",
                                                           "Squeeze",
                                                           "Unsqueeze",
                                                           "Transpose",
                                                           "Concat",
                                                           "Split",
                                                           "VariadicSplit",
                                                           "Slice",
                                                           "StridedSlice",
                                                           "Gather",
                                                           "GatherElements",
                                                           "GatherND",
                                                           "GatherTree",
                                                           "ScatterUpdate",
                                                           "ScatterNDUpdate",
                                                           "ScatterElementsUpdate",
                                                           "SliceScatter",
                                                           "Pad",
                                                           "Tile",
                                                           "Broadcast",
                                                           "Convert",
                                                           "ConvertLike",
                                                           "ShapeOf",
                                                           "Range",
                                                           "Select",
                                                           "OneHot",
                                                           "NonZero",
                                                           "Unique",
                                                           "Reverse",
                                                           "ReverseSequence",
                                                           "Roll",
                                                           "DepthToSpace",
                                                           "SpaceToDepth",
                                                           "BatchToSpace",
                                                           "SpaceToBatch",
                                                           "ShuffleChannels",
                                                           "ExtractImagePatches",
                                                           "ReadValue",
                                                           "Assign",
                                                           "Eye",
                                                           "Identity",
                                                           "Col2Im"};
  return kMoves.contains(type);
}

}  // namespace

double flops(const ov::Node& op) {
  if (const auto* nested = ov::as_type<const ov::op::util::MultiSubGraphOp>(&op))
    return body_flops(*nested);
  const std::string_view type = op.get_type_info().name;
  if (moves_data(type)) return 0;
  const auto rule = rules().find(type);
  if (rule != rules().end()) return rule->second(op);
  return op.get_output_size() == 0 ? 0 : outputs(op);
}

}  // namespace berth
