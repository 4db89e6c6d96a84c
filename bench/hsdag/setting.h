// The setting of HSDAG: its three networks on a desktop CPU with a data centre GPU.
//
// The paper gives the latency of each network on each device alone, and of the placements that it
// compares. Here the cluster `i9+flex170` is fitted to the former (cost/fit_roofline.h), so that
// CPU-only and GPU-only are the published times and everything between follows from the roofline.
// The length of BERT's sentence is not published. At 24 tokens the estimate before any fit is 6.0
// ms on the CPU and 2.7 ms on the GPU, against 6.38 and 2.77 ms; at the 128 tokens that the zoo
// takes otherwise the published CPU time would need twice the peak of the CPU.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "berth/problem.h"

namespace berth::bench {

// Published, Tables 1, 2, 3 and 5 of the paper; milliseconds and seconds of search.
struct Published {
  std::size_t nodes, edges;
  double cpu, gpu, openvino_cpu, openvino_gpu, hsdag;
  double without_shape, without_index, without_structure;
  double search_seconds;
};

struct Network {
  std::string name;  // "resnet-50"
  std::string spec;  // "zoo:resnet-50"
  Published published;
};

const std::array<Network, 3>& networks();

struct Setting {
  Network network;
  std::size_t file_nodes, file_edges;            // operators and edges as the file has them
  std::size_t colocated_nodes, colocated_edges;  // after the paper's co-location
  Problem sequential, concurrent;
};

Setting setting_of(const Network& network);

}  // namespace berth::bench
