#include "bench/post/tasks.h"

#include <utility>

#include <fmt/format.h>

#include "berth/runtime/session.h"

namespace berth::bench {
namespace {

constexpr std::pair<const char*, const char*> kNetworks[] = {
    {"inception-v3", "zoo:inception-v3(batch=32)"},
    {"resnet-50", "zoo:resnet-50(batch=32)"},
    {"rnnlm-2", "zoo:rnnlm(layers=2,batch=64,hidden=2048)"},
    {"rnnlm-4", "zoo:rnnlm(layers=4,batch=64,hidden=2048)"},
    {"rnnlm-2 large", "zoo:rnnlm(layers=2,batch=256,hidden=4096,vocabulary=40000)"},
    {"rnnlm-4 large", "zoo:rnnlm(layers=4,batch=256,hidden=4096,vocabulary=40000)"},
    {"nmt", "zoo:nmt(batch=64)"},
    {"nmt large", "zoo:nmt(batch=256,hidden=2048)"}};

}  // namespace

std::string PostTask::name() const {
  return network + (cluster.empty() ? "" : ", " + cluster) + (untied ? ", untied" : "");
}

std::vector<PostTask> post_tasks() {
  std::vector<PostTask> tasks;
  for (const bool untied : {false, true})
    for (const auto& [network, model] : kNetworks)
      for (const int devices : {2, 4, 8})
        tasks.push_back({network, model, fmt::format("k80x{}", devices), untied});
  return tasks;
}

Problem problem_of(const PostTask& task) {
  SessionOptions options{.devices = task.cluster,
                         .training = true,
                         .optimizer = Optimizer::kAdam,
                         .untied = task.untied,
                         .estimate = true};
  return Session(task.model, std::move(options)).problem().problem;
}

}  // namespace berth::bench
