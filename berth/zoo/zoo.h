// The benchmark networks of the papers, by name and parameters.
//
// "zoo:resnet-50", "zoo:gnmt(layers=8,steps=40)". Built in code from OpenVINO operations, with
// seeded random weights: what a network computes means nothing, its shapes, sizes and times are
// real. This folder and berth/runtime/openvino/ are the only ones that include OpenVINO.
#pragma once

#include <openvino/openvino.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

std::vector<ZooNetwork> zoo_networks();

struct BuiltNetwork {
  std::string name;  // with the parameters that differ from the defaults: "gnmt(layers=8)"
  std::shared_ptr<ov::Model> model;
};

// `spec` is "zoo:NAME(key=value,...)" and comes from source.spec. Throws Error for an unknown name,
// with the nearest one, and for a wrong parameter.
BuiltNetwork build_network(const ModelSource& source);
bool is_zoo_spec(const std::string& spec);

}  // namespace berth
