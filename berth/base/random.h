// Seeded randomness, split into named streams.
//
// Same seed, same bytes, on every platform: the generator (xoshiro256**, seeded by splitmix64) and
// the draws are written out here, because those of the standard library differ between vendors.
// Named streams keep one consumer from shifting another: rng.split("weights") does not change
// when the caller draws more numbers elsewhere.
//
// Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators, 2018.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "berth/base/hash.h"

namespace berth {

class Rng {
 public:
  using result_type = std::uint64_t;

  explicit Rng(std::uint64_t seed = 1) : seed_(seed) {
    for (std::uint64_t& word : state_) word = splitmix(seed);
  }

  // An independent stream that depends only on this generator's seed and the name.
  Rng split(std::string_view name) const {
    std::uint64_t mixed = seed_ ^ hash_of(name);
    return Rng(splitmix(mixed));
  }
  Rng split(std::uint64_t number) const {
    std::uint64_t mixed = seed_ + 0x9e3779b97f4a7c15ULL * (number + 1);
    return Rng(splitmix(mixed));
  }

  std::uint64_t operator()() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  // Uniform in {0, ..., count - 1}; the bias of the multiply is below 2^-32 for any real count.
  std::size_t below(std::size_t count) {
    assert(count > 0);
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<std::size_t>((static_cast<Wide>((*this)()) * count) >> 64);
  }

  // Exponential with mean 1.
  double exponential() { return -std::log1p(-uniform()); }

  // Standard normal (Box-Muller; one of the pair is thrown away to keep the stream simple).
  double normal() {
    const double radius = std::sqrt(2.0 * exponential());
    return radius * std::cos(6.283185307179586 * uniform());
  }

  template <class Range>
  void shuffle(Range& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static std::uint64_t splitmix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace berth
