#include "berth/runtime/openvino/arrays.h"

#include <algorithm>

#include "berth/base/fail.h"
#include "berth/base/random.h"

namespace berth {
namespace {

template <ov::element::Type_t... types, class Visit>
bool visit_as_any(const ov::Tensor& tensor, const Visit& visit) {
  void* const data = const_cast<ov::Tensor&>(tensor).data();
  const ov::element::Type_t type = tensor.get_element_type();
  return ((type == types && (visit(static_cast<ov::fundamental_type_for<types>*>(data)), true)) ||
          ...);
}

// Calls visit(T*) for the type of the tensor's elements; false for types without plain numbers.
template <class Visit>
bool with_elements(const ov::Tensor& tensor, const Visit& visit) {
  using enum ov::element::Type_t;
  return visit_as_any<f64, f32, f16, bf16, i64, u64, i32, u32, i16, u16, i8, u8, boolean>(tensor,
                                                                                          visit);
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
      fail("input '{}' has elements of type {}, which berth cannot fill",
           parameter->get_friendly_name(), parameter->get_element_type().get_type_name());
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
    fail("output '{}' has elements of type {}, which berth cannot compare", array.name,
         tensor.get_element_type().get_type_name());
  return array;
}

std::vector<std::string> output_names(const ov::Model& model) {
  std::vector<std::string> all;
  for (const auto& output : model.outputs()) {
    const auto& names = output.get_names();
    const ov::Node* result = output.get_node();
    all.push_back(names.empty() ? result->get_input_node_ptr(0)->get_friendly_name()
                                : *std::ranges::min_element(names));
  }
  return all;
}

}  // namespace berth
