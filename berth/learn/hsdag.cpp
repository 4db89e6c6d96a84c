#include "berth/learn/hsdag.h"

#include "berth/learn/place_learned.h"
#include "berth/modules/module.h"

namespace berth {

void hsdag(const Context& context, const HsdagOptions& options) {
  const auto make = load_module(ModuleKind::kTorch).make_hsdag;
  place_learned(context, "hsdag", options,
                [&](const Task& task, std::uint64_t seed) { return make(options, task, seed); });
}

}  // namespace berth
