#include "berth/learn/hsdag.h"

#include "berth/modules/module.h"

namespace berth {

MakeLearner HsdagMethod::learner(const HsdagOptions& options) {
  return [options, make = load_module(ModuleKind::kTorch).make_hsdag](
             const Task& task, std::uint64_t seed) { return make(options, task, seed); };
}

}  // namespace berth
