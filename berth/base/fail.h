// The user's mistake, told in one line: an Error of a format string and its parts.
#pragma once

#include <utility>

#include <fmt/core.h>

#include "berth/base/error.h"

namespace berth {

// fail("{}: has {} nodes, expected at most {}", file, nodes, most);
template <class... Parts>
[[noreturn]] void fail(fmt::format_string<Parts...> message, Parts&&... parts) {
  throw Error(fmt::format(message, std::forward<Parts>(parts)...));
}

}  // namespace berth
