#include "berth/runtime/openvino/op_signature.h"

#include <cstdint>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/core/attribute_visitor.hpp>
#include <openvino/op/constant.hpp>

namespace berth {
namespace {

// Constants up to this size are parameters of the operator rather than weights.
constexpr std::size_t kSmallConstant = 32;

class AttributeText final : public ov::AttributeVisitor {
 public:
  std::string text;

  // Attributes of other kinds (variables, bodies of loops) only by their name.
  void on_adapter(const std::string& name, ov::ValueAccessor<void>&) override { add(name, "?"); }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::string>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<bool>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::int64_t>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::uint64_t>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<double>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<float>& a) override {
    add(name, a.get());
  }
  void on_adapter(const std::string& name,
                  ov::ValueAccessor<std::vector<std::int64_t>>& a) override {
    add(name, fmt::format("{}", fmt::join(a.get(), ",")));
  }
  void on_adapter(const std::string& name,
                  ov::ValueAccessor<std::vector<std::uint64_t>>& a) override {
    add(name, fmt::format("{}", fmt::join(a.get(), ",")));
  }
  void on_adapter(const std::string& name,
                  ov::ValueAccessor<std::vector<std::string>>& a) override {
    add(name, fmt::format("{}", fmt::join(a.get(), ",")));
  }

 private:
  template <class Value>
  void add(const std::string& name, const Value& value) {
    text += fmt::format("{}={};", name, value);
  }
};

template <class Output>
std::string tensor_text(const Output& output) {
  std::ostringstream text;
  text << output.get_element_type() << output.get_partial_shape();
  return text.str();
}

std::string constant_text(const ov::Node& node) {
  const auto* constant = dynamic_cast<const ov::op::v0::Constant*>(&node);
  if (constant == nullptr) return "";
  const bool small = ov::shape_size(constant->get_shape()) <= kSmallConstant;
  if (!small || !constant->get_element_type().is_integral_number()) return "=constant";
  return fmt::format("={}", fmt::join(constant->cast_vector<std::int64_t>(), ","));
}

}  // namespace

std::string op_signature(const ov::Node& op) {
  AttributeText attributes;
  // Visiting is not const because a visitor may also set attributes; this one only reads.
  const_cast<ov::Node&>(op).visit_attributes(attributes);
  std::string text =
      fmt::format("{}-{}({}", op.get_type_info().name,
                  op.get_type_info().version_id == nullptr ? "" : op.get_type_info().version_id,
                  attributes.text);
  for (const ov::Input<const ov::Node>& input : op.inputs())
    text += fmt::format(" {}{}", tensor_text(input.get_source_output()),
                        constant_text(*input.get_source_output().get_node()));
  text += " ->";
  for (const ov::Output<const ov::Node>& output : op.outputs())
    text += fmt::format(" {}", tensor_text(output));
  return text + ")";
}

}  // namespace berth
