// Limits that nothing can meet, named in one sentence, cheaply and with proof.
//
// Checked in turn: a unit whose weights, shared ones that it uses included, exceed every device it
// may use; nodes pinned to a device that cannot hold them all; an apart set with more units than devices to tell them apart (Hall: a matching of
// units to allowed devices is missing); more weights than all devices hold together. What passes
// may still be impossible: fit_weights.h solves the packing.
#pragma once

#include "berth/problem.h"

namespace berth {

// Why no placement obeys memory and constraints; empty if none of the checks says so.
std::optional<std::string> why_impossible(const Problem& problem);

}  // namespace berth
