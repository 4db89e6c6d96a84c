// The tasks of Post: networks in training, spread over the K80 GPUs of one server.
//
// Inception-V3, ResNet-50, RNNLM and NMT are the paper's networks, batch 32 for images and 4 layers
// in RNNLM among them. Its other settings are not published; ours are those that the placement of
// RNNLM and NMT is hard in, because one GPU hardly holds them ("large"). Training is with Adam.
//
// Tied: all users of a weight share a device. Untied: a weight is sent to each device that uses it,
// so that the steps of a layer may be apart; rows that this build cannot import are left out.
//
// Gao, Chen, Li: Post: Device Placement with Cross-Entropy Minimization and Proximal Policy
// Optimization, NeurIPS 2018.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/problem.h"

namespace berth::bench {

struct PostTask {
  std::string network;  // "rnnlm-4 large"
  std::string model;    // "zoo:rnnlm(...)", or a file that `berth import` reads
  std::string cluster;  // "k80x4"; empty: the file's own devices
  bool untied = false;

  std::string name() const;  // "rnnlm-4 large, k80x4, untied"
};

// Tied ones first. Those that this build cannot import are not among them.
std::vector<PostTask> post_tasks();

Problem problem_of(const PostTask& task);

}  // namespace berth::bench
