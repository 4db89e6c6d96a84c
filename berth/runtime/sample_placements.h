// Placements of every grain, to measure and to calibrate on.
//
// A search visits anything between one device and a device per operator, so a sample does too: the
// nodes in topological order are divided into segments, between two and the number of units, that
// many on a logarithmic scale, and each segment goes to a random device. Units stay whole: each
// goes where its first node goes. Only devices that a unit may use are drawn.
#pragma once

#include "berth/base/random.h"
#include "berth/placement.h"

namespace berth {

Placement sample_placement(const Problem& problem, Rng& rng);

}  // namespace berth
