#include "berth/runtime/openvino/model.h"

#include <cassert>
#include <unordered_set>
#include <utility>

#include "berth/runtime/openvino/fold_constants.h"
#include "berth/runtime/openvino/model_graph.h"

namespace berth {
namespace {

void make_names_unique(const ov::Model& model) {
  std::unordered_set<std::string> taken;
  for (const auto& op : model.get_ordered_ops()) {
    const std::string& name = op->get_friendly_name();
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy)
      unique = name + "#" + std::to_string(copy);
    if (unique != name) op->set_friendly_name(unique);
  }
}

}  // namespace

OpenvinoModel::OpenvinoModel(std::string name, std::shared_ptr<ov::Model> model)
    : name_(std::move(name)), model_(std::move(model)) {
  make_names_unique(*model_);
  raw_graph_ = berth::raw_graph(*model_);
  fold_constants(model_);
  make_names_unique(*model_);
  ModelGraph derived = model_graph(*model_);
  graph_ = std::move(derived.graph);
  ops_ = std::move(derived.ops);
  for (const NodeId node : ops_.ids()) by_name_.emplace(ops_[node]->get_friendly_name(), node);
}

std::optional<NodeId> OpenvinoModel::find(const std::string& friendly_name) const {
  const auto found = by_name_.find(friendly_name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

const OpenvinoModel& openvino_model(const Model& model) {
  const auto* ours = dynamic_cast<const OpenvinoModel*>(&model);
  assert(ours != nullptr);  // a Runtime is given back only what it opened
  return *ours;
}

}  // namespace berth
