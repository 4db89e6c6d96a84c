// The learned methods of the module, one line each in module.cpp.
#pragma once

#include "berth/base/options.h"
#include "berth/place/placer.h"

namespace berth {

Outcome place_hsdag(const Spec& spec, const Problem& problem, Budget& budget, const Rng& rng);

}  // namespace berth
