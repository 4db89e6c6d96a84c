#include "berth/runtime/openvino/flops.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <unordered_map>

#include <openvino/op/ops.hpp>

#include "berth/runtime/openvino/operators.h"

namespace berth {
namespace {

double elements(const ov::PartialShape& shape) { return static_cast<double>(element_count(shape)); }
double outputs(const ov::Node& op) { return elements(op.get_output_partial_shape(0)); }
double inputs(const ov::Node& op, std::size_t port = 0) {
  return elements(op.get_input_partial_shape(port));
}

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

template <int gates, int pointwise>
double cell(const ov::Node& op) {
  const auto* base = ov::as_type<const ov::op::util::RNNCellBase>(&op);
  const double hidden = base == nullptr ? 1 : static_cast<double>(base->get_hidden_size());
  const double batch = dimension(op, 0, 0);
  return batch * hidden * (gates * 2 * (dimension(op, 0, -1) + hidden) + pointwise);
}
// x [batch, steps, inputs]; the initial state [batch, directions, hidden] says how many directions.
template <int gates, int pointwise>
double sequence(const ov::Node& op) {
  return dimension(op, 0, 1) * dimension(op, 1, 1) * cell<gates, pointwise>(op);
}

// ---- windows, reductions, resampling ----

template <class Pool>
double pool(const ov::Node& op) {
  const auto* window = ov::as_type<const Pool>(&op);
  return outputs(op) *
         (window == nullptr ? 1 : static_cast<double>(ov::shape_size(window->get_kernel())));
}

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
      // An LSTM adds 4 biases, has 5 functions, 3 products and 1 sum; the others likewise.
      {"LSTMCell", cell<4, 13>},
      {"GRUCell", cell<3, 11>},
      {"RNNCell", cell<1, 2>},
      {"LSTMSequence", sequence<4, 13>},
      {"GRUSequence", sequence<3, 11>},
      {"RNNSequence", sequence<1, 2>},
      {"MaxPool", pool<ov::op::util::MaxPoolBase>},
      {"AvgPool", pool<ov::op::util::AvgPoolBase>},
      {"LRN", local_response},
      {"Interpolate", interpolate},
  };
  return kRules;
}

using Types = std::vector<std::string_view>;

bool takes_one_per_input(std::string_view type) {
  static const Types kTypes{"AdaptiveAvgPool", "AdaptiveMaxPool", "CumSum", "TopK",
                            "NonMaxSuppression"};
  return type.starts_with("Reduce") || std::ranges::find(kTypes, type) != kTypes.end();
}

// Operations per element of the output; one where nothing else is said.
double per_output(std::string_view type) {
  static const std::vector<std::pair<double, Types>> kTypes{
      // They move, rename, create or select, and compute nothing.
      {0, {"Parameter", "Constant", "Result", "ReadValue", "Assign", "Identity"}},
      {0, {"Reshape", "Squeeze", "Unsqueeze", "Transpose", "Convert", "ConvertLike"}},
      {0, {"Concat", "Split", "VariadicSplit", "Slice", "StridedSlice", "Pad", "Tile"}},
      {0, {"Gather", "GatherElements", "GatherND", "GatherTree"}},
      {0, {"ScatterUpdate", "ScatterNDUpdate", "ScatterElementsUpdate", "SliceScatter"}},
      {0, {"Broadcast", "ShapeOf", "Range", "Eye", "OneHot", "Select", "NonZero", "Unique"}},
      {0, {"Reverse", "ReverseSequence", "Roll", "ShuffleChannels"}},
      {0, {"DepthToSpace", "SpaceToDepth", "BatchToSpace", "SpaceToBatch"}},
      {0, {"ExtractImagePatches", "Col2Im"}},
      {2, {"BatchNormInference", "Swish", "PRelu", "Clamp", "SquaredDifference"}},
      {3, {"NormalizeL2", "GRN", "HSigmoid", "SoftPlus", "Selu", "Elu"}},
      {4, {"Mish", "HSwish", "HardSigmoid"}},
      {5, {"Softmax", "LogSoftmax", "MVN", "FakeQuantize", "Gelu"}},
      {7, {"GroupNormalization"}},
  };
  for (const auto& [operations, types] : kTypes)
    if (std::ranges::find(types, type) != types.end()) return operations;
  return 1;
}

}  // namespace

double flops(const ov::Node& op) {
  if (const auto* nested = ov::as_type<const ov::op::util::MultiSubGraphOp>(&op))
    return body_flops(*nested);
  const std::string_view type = op.get_type_info().name;
  if (const auto rule = rules().find(type); rule != rules().end()) return rule->second(op);
  if (takes_one_per_input(type)) return inputs(op);
  return op.get_output_size() == 0 ? 0 : per_output(type) * outputs(op);
}

}  // namespace berth
