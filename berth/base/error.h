// Error: the one exception users ever see.
//
// Thrown at the edges (files, specs, options, runtimes) for the user's mistake, in one line that
// says what is wrong, where, and what was expected. "Nothing fits" is a value, not an Error; our
// own bugs are asserts.
#pragma once

#include <stdexcept>
#include <string>

namespace berth {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace berth
