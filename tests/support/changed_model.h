// A problem that differs from another in its execution model only.
#pragma once

#include <variant>

#include "berth/problem.h"

namespace berth {

// The model, which has to be this one, with some of its fields changed:
//   changed<MaxLoad>(problem, [](MaxLoad& load) { load.contiguous = true; });
template <class Model, class Change>
Problem changed(const Problem& problem, const Change& change) {
  ExecutionModel model = problem.model();
  change(std::get<Model>(model.execution));
  return problem.with_model(model);
}

}  // namespace berth
