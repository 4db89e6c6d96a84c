#include "berth/learn/hsdag.h"

#include "berth/modules/module.h"

namespace berth {

void hsdag(const Context& context, const HsdagOptions& options) {
  load_module(ModuleKind::kTorch).place(write_options("hsdag", options), context);
}

}  // namespace berth
