#include "berth/runtime/openvino/hetero.h"

#include <openvino/op/result.hpp>

namespace berth {
namespace {

constexpr const char* kAffinity = "affinity";

void set_affinity(ov::Node& op, const std::string& device) { op.get_rt_info()[kAffinity] = device; }

}  // namespace

const std::string* affinity_of(const ov::Node& op) {
  const auto found = op.get_rt_info().find(kAffinity);
  return found == op.get_rt_info().end() ? nullptr : &found->second.as<std::string>();
}

std::shared_ptr<ov::Model> with_affinities(const OpenvinoModel& model,
                                           std::span<const std::string> devices,
                                           const Placement& placement) {
  std::shared_ptr<ov::Model> copy = model.ov_model()->clone();
  const std::vector<std::shared_ptr<ov::Node>> order = copy->get_ordered_ops();
  for (const auto& op : order)
    if (const auto node = model.find(op->get_friendly_name()))
      set_affinity(*op, devices[index(placement.device_of[*node])]);
  for (std::size_t i = order.size(); i-- > 0;) {  // consumers before what feeds them
    ov::Node& op = *order[i];
    if (affinity_of(op) != nullptr || ov::is_type<ov::op::v0::Result>(&op)) continue;
    for (const auto& output : op.outputs())
      for (const auto& use : output.get_target_inputs())
        if (const std::string* device = affinity_of(*use.get_node()); device && !affinity_of(op))
          set_affinity(op, std::string(*device));
    if (affinity_of(op) == nullptr) set_affinity(op, devices.front());
  }
  for (const auto& result : copy->get_results())
    set_affinity(*result, *affinity_of(*result->input_value(0).get_node()));
  return copy;
}

}  // namespace berth
