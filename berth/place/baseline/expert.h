// A given split: what a person chose, as a method among others.
//
// The placement is read from a file in any form that io/placement_json.h knows, dnn-partitioning's
// splits among them, where a missing backward part follows its forward mates by co-location. It is
// verified and measured like every other placement; one that breaks a limit is no placement.
// The one placer that reads a file: a table of methods is to have a row for the expert's choice.
//
// Tarnawski et al., NeurIPS 2020, compare with experts' splits of the layer graphs.
#pragma once

#include <string>

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

struct ExpertOptions {
  std::string file;  // the split

  void visit(auto& v) { v("file", file, "the placement or split to take; must be given"); }
  void check() const;
};

// Throws Error when the file is not a placement of this problem.
void expert(const Context& context, const ExpertOptions& options);

}  // namespace berth
