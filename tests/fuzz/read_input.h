// The frame of every fuzz target: a reader may refuse its input with an Error and do nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/base/error.h"

namespace berth {

template <class Read>
int feed(const std::uint8_t* data, std::size_t size, Read&& read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace berth
