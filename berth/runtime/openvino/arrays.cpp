#include "berth/runtime/openvino/arrays.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fmt/format.h>
#include <openvino/core/type/bfloat16.hpp>
#include <openvino/core/type/float16.hpp>

#include "berth/base/error.h"
#include "berth/base/random.h"

namespace berth {
namespace {

// Calls visit(T*) for the type of the tensor's elements; false for types without plain numbers.
template <class Visit>
bool with_elements(const ov::Tensor& tensor, const Visit& visit) {
  void* const data = const_cast<ov::Tensor&>(tensor).data();
  switch (tensor.get_element_type()) {
    case ov::element::f64:
      visit(static_cast<double*>(data));
      return true;
    case ov::element::f32:
      visit(static_cast<float*>(data));
      return true;
    case ov::element::f16:
      visit(static_cast<ov::float16*>(data));
      return true;
    case ov::element::bf16:
      visit(static_cast<ov::bfloat16*>(data));
      return true;
    case ov::element::i64:
      visit(static_cast<std::int64_t*>(data));
      return true;
    case ov::element::u64:
      visit(static_cast<std::uint64_t*>(data));
      return true;
    case ov::element::i32:
      visit(static_cast<std::int32_t*>(data));
      return true;
    case ov::element::u32:
      visit(static_cast<std::uint32_t*>(data));
      return true;
    case ov::element::i16:
      visit(static_cast<std::int16_t*>(data));
      return true;
    case ov::element::u16:
      visit(static_cast<std::uint16_t*>(data));
      return true;
    case ov::element::i8:
      visit(static_cast<std::int8_t*>(data));
      return true;
    case ov::element::u8:
      visit(static_cast<std::uint8_t*>(data));
      return true;
    case ov::element::boolean:
      visit(static_cast<std::uint8_t*>(data));
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<ov::Tensor> seeded_inputs(const ov::Model& model) {
  std::vector<ov::Tensor> inputs;
  for (const auto& parameter : model.get_parameters()) {
    ov::Tensor tensor(parameter->get_element_type(), parameter->get_shape());
    Rng rng = Rng(1).split(parameter->get_friendly_name());
    const bool is_real = parameter->get_element_type().is_real();
    const bool known = with_elements(tensor, [&](auto* values) {
      using Value = std::remove_pointer_t<decltype(values)>;
      for (std::size_t i = 0; i < tensor.get_size(); ++i)
        values[i] = is_real ? static_cast<Value>(static_cast<float>(rng.normal()))
                            : static_cast<Value>(static_cast<float>(rng.below(2)));
    });
    if (!known)
      throw Error(fmt::format("input '{}' has elements of type {}, which berth cannot fill",
                              parameter->get_friendly_name(),
                              parameter->get_element_type().get_type_name()));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Array to_array(std::string name, const ov::Tensor& tensor) {
  Array array{.name = std::move(name), .shape = {}, .values = {}};
  for (const std::size_t extent : tensor.get_shape())
    array.shape.push_back(static_cast<std::int64_t>(extent));
  array.values.resize(tensor.get_size());
  const bool known = with_elements(tensor, [&](auto* values) {
    for (std::size_t i = 0; i < tensor.get_size(); ++i)
      array.values[i] = static_cast<double>(values[i]);
  });
  if (!known)
    throw Error(fmt::format("output '{}' has elements of type {}, which berth cannot compare",
                            array.name, tensor.get_element_type().get_type_name()));
  return array;
}

std::string output_name(const ov::Model& model, std::size_t i) {
  const ov::Output<const ov::Node> output = model.output(i);
  const auto& names = output.get_names();
  if (!names.empty()) return *std::min_element(names.begin(), names.end());
  return model.get_results()[i]->input_value(0).get_node()->get_friendly_name();
}

}  // namespace berth
