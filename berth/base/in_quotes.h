// Text from a file, made safe to show in one line of a message.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// In quotes, control characters and broken UTF-8 replaced by '?', cut to about 60 characters.
std::string in_quotes(std::string_view text);

}  // namespace berth
