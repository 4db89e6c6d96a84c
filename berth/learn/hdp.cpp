#include "berth/learn/hdp.h"

#include <utility>

#include "berth/base/fail.h"
#include "berth/learn/place_learned.h"
#include "berth/modules/module.h"

namespace berth {

void HdpOptions::check() const {
  RecurrentOptions::check("hdp");
  for (const auto& [key, value] : {std::pair{"groups", groups}, std::pair{"placements", placements},
                                   std::pair{"grouper", grouper}})
    if (value < 1) fail("hdp({}={}): expected at least 1", key, value);
}

void hdp(const Context& context, const HdpOptions& options) {
  const auto make = load_module(ModuleKind::kTorch).make_hdp;
  place_learned(context, "hdp", options,
                [&](const Task& task, std::uint64_t seed) { return make(options, task, seed); });
}

}  // namespace berth
