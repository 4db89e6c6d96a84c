// One problem as learners see it: sets to place, what placements of them cost, the best so far.
//
// A learner may keep references into a task; it stays where it is while it is learned from.
#pragma once

#include <cstddef>
#include <vector>

#include "berth/base/units.h"
#include "berth/learn/elite.h"
#include "berth/learn/environment.h"
#include "berth/learn/policy_graph.h"
#include "berth/learn/refine.h"
#include "berth/problem.h"
#include "berth/search/budget.h"

namespace berth {

struct Task {
  Problem problem;
  PolicyGraph graph;
  Environment environment;
  Elite elite;
  Refiner refiner;
  Duration own = kForever;  // the best that a policy has drawn for it
  Duration reference;       // what values are told relative to: the best that is known at the start

  // The reference is the best value of any device alone; where none fits, the smallest sum of
  // times.
  Task(const Problem& problem, Colocation colocation, std::size_t elite_size);

  // The placements with their scores; those that fit are offered to the elite, in turn.
  std::vector<Scored> score(std::vector<SetDevices> placements, Budget& budget);
};

}  // namespace berth
