#include "berth/learn/coloc_rl.h"

#include "berth/base/fail.h"
#include "berth/learn/place_learned.h"
#include "berth/modules/module.h"

namespace berth {

void ColocRlOptions::check() const {
  RecurrentOptions::check("coloc-rl");
  if (groups < 1) fail("coloc-rl(groups={}): expected at least 1", groups);
}

void coloc_rl(const Context& context, const ColocRlOptions& options) {
  const auto make = load_module(ModuleKind::kTorch).make_coloc_rl;
  place_learned(context, "coloc-rl", options,
                [&](const Task& task, std::uint64_t seed) { return make(options, task, seed); });
}

}  // namespace berth
