// The learned methods of the module, one line each in module.cpp.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void place_hsdag(const Spec& spec, const Context& context);

}  // namespace berth
