// Choices without a branch, for inner loops whose conditions are coin tosses: a mispredicted branch
// costs as much as fifty instructions, and compilers turn `?:` back into branches at will.
#pragma once

#include <cstdint>

namespace berth {

template <class Integer>
inline Integer choose(bool condition, Integer yes, Integer no) {
#if defined(__x86_64__) && defined(__GNUC__)
  asm("test %1, %1\n\tcmovne %2, %0" : "+r"(no) : "q"(condition), "r"(yes) : "cc");
  return no;
#else
  return condition ? yes : no;
#endif
}

// By value, unlike std::max: one instruction.
inline double larger(double a, double b) { return a < b ? b : a; }
inline std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return b < a ? b : a; }

}  // namespace berth
