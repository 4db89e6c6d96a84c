#include "berth/learn/placeto.h"

#include "berth/base/fail.h"
#include "berth/learn/place_learned.h"
#include "berth/modules/module.h"

namespace berth {

void PlacetoOptions::check() const {
  if (groups < 1) fail("placeto(groups={}): expected at least 1", groups);
  if (rounds < 0) fail("placeto(rounds={}): expected at least 0", rounds);
  if (!(gamma >= 0 && gamma <= 1)) fail("placeto(gamma={}): expected 0 to 1", gamma);
}

void placeto(const Context& context, const PlacetoOptions& options) {
  const auto make = load_module(ModuleKind::kTorch).make_placeto;
  place_learned(context, "placeto", options,
                [&](const Task& task, std::uint64_t seed) { return make(options, task, seed); });
}

}  // namespace berth
