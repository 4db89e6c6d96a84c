// The hash FNV-1a, 64 bits, of text: the same on every platform. Of text in parts, it goes on from
// the hash of what came before.
//
// Fowler, Noll and Vo. Against accidents, not against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

inline constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325ULL;

constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = kEmptyHash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace berth
