#include "berth/learn/learned_placer.h"

#include "berth/modules/module.h"

namespace berth {

Outcome place_by_learning(const std::string& spec, const Problem& problem, Budget& budget,
                          Rng& rng) {
  return load_module(ModuleKind::kTorch).place(spec, problem, budget, rng);
}

}  // namespace berth
