// How many rounds a randomised test makes: all of them in an optimised build, a fraction where
// sanitizers and asserts make each round slow. The first rounds are the same in both.
#pragma once

#include <algorithm>

namespace berth {

constexpr int effort(int rounds) {
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  return std::max(1, rounds / 6);
#else
  return rounds;
#endif
}

}  // namespace berth
