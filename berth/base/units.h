// Numbers carry their unit. A bare double is a ratio or a weight.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace berth {

// Time, in microseconds as a double. Unsupported work takes kForever.
using Duration = std::chrono::duration<double, std::micro>;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Seconds = std::chrono::duration<double>;

inline constexpr Duration kForever{std::numeric_limits<double>::infinity()};

constexpr double in_milliseconds(Duration time) { return Milliseconds(time).count(); }
constexpr double in_seconds(Duration time) { return Seconds(time).count(); }
constexpr Duration milliseconds(double count) { return Milliseconds(count); }

// A size in memory. Signed, so that a difference is a size too.
struct Bytes {
  std::int64_t count = 0;

  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t bytes) : count(bytes) {}
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count -= other.count;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count - b.count}; }
};

}  // namespace berth
