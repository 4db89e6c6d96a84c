// Clusters known by name, to be used where a devices file would be.
//
//   cpu+gpu       a host with one graphics card, over PCIe
//   k80x2 4 8     one server, GPUs only; every GPU sends one tensor at a time
//   p100x2 4 8    the same
//   k80x2-tf ...  the six above with links as TensorFlow 1.12 drives them: 134 us and 5.7 GB/s
//   v100x4        every pair of GPUs has its own wire
//   i9+flex170    a desktop CPU with a data centre GPU: the setting of HSDAG
//
// Speeds, memory sizes and links set the roofline estimate (roofline.h); times that were measured
// always take precedence.
#pragma once

#include "berth/cost/devices.h"

namespace berth {

// Empty for an unknown name. This machine, "local", needs a runtime to look at it
// (runtime/local_cluster.h).
std::optional<Cluster> built_in_cluster(const std::string& name);
std::vector<std::string> built_in_cluster_names();

// Of any cluster, in their order.
std::vector<std::string> device_names(const Cluster& cluster);

}  // namespace berth
