// What this build of berth is: its version and its commit. Which optional parts it has, and whether
// they work here, is asked of berth/modules/module.h.
#pragma once

#include <string_view>

namespace berth {

std::string_view version();  // "0.1.0"

// Abbreviated hash of the source, with "-dirty" after local changes; empty when it was not built
// from a git checkout.
std::string_view commit();

}  // namespace berth
