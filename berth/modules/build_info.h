// What this build of berth is: its version, its commit, and which optional parts it has.
//
// Every third party beyond text and JSON is an option of the build (cmake/dependencies.cmake), so
// two binaries of the same version may differ in what they can do. This is the one place that
// knows; `berth doctor` prints it, and a placer that needs a part which is not there quotes its
// `why_not`. Whether a heavy part also works on this machine is asked of berth/modules/module.h.
#pragma once

#include <string_view>
#include <vector>

namespace berth {

struct BuildPart {
  std::string_view name;     // "HiGHS"
  std::string_view purpose;  // what berth uses it for
  bool present = false;
  std::string_view why_not;  // empty when present

  bool operator==(const BuildPart&) const = default;
};

std::string_view version();  // "0.1.0"

// Abbreviated hash of the source, with "-dirty" after local changes; empty when it was not built
// from a git checkout.
std::string_view commit();

std::vector<BuildPart> build_parts();

}  // namespace berth
