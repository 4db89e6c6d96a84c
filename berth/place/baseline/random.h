// The best of many random placements: what any search must beat at the same number of evaluations.
//
// Per sample, device shares q are drawn from the flat Dirichlet distribution, then the device of
// every unit from q independently. Plain uniform draws (bias = uniform) almost never come near a
// single device and make a straw man. With unit = parsing, units are first tied into random groups:
// each edge gets a random score, each node keeps its best edge, and the kept edges' connected parts
// share a device; about as many groups as one level of HSDAG's graph parsing makes.
//
// Pins, forbids and apart sets are respected while drawing. A sample that overflows memory is
// repaired once, by moving the largest unit of the fullest device to the emptiest device it may
// use; the repaired sample is an evaluation too. O(samples * evaluation).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

enum class RandomUnit : std::uint8_t { kColocation, kParsing };
enum class RandomBias : std::uint8_t { kDirichlet, kUniform };

template <>
struct OptionNames<RandomUnit> {
  static constexpr std::array<std::pair<const char*, RandomUnit>, 2> values{
      {{"coloc", RandomUnit::kColocation}, {"parsing", RandomUnit::kParsing}}};
};
template <>
struct OptionNames<RandomBias> {
  static constexpr std::array<std::pair<const char*, RandomBias>, 2> values{
      {{"dirichlet", RandomBias::kDirichlet}, {"uniform", RandomBias::kUniform}}};
};

struct RandomOptions {
  int samples = 2000;
  RandomUnit unit = RandomUnit::kColocation;
  RandomBias bias = RandomBias::kDirichlet;
  void visit(auto& v) {
    v("samples", samples, "placements to draw, unless the budget ends first");
    v("unit", unit, "what gets one device: coloc (co-location units) or parsing (random groups)");
    v("bias", bias, "shares of the devices: dirichlet (drawn per sample) or uniform (equal)");
  }
  void check() const;
};

// throws Error: samples below 1
void random_placements(const Context& context, const RandomOptions& options);

}  // namespace berth
