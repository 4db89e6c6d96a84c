#include "berth/learn/recurrent_options.h"

#include <utility>

#include "berth/base/fail.h"

namespace berth {

void RecurrentOptions::check(const char* method) const {
  for (const auto& [key, value] : {std::pair{"hidden", hidden}, std::pair{"attention", attention}})
    if (value < 1) fail("{}({}={}): expected at least 1", method, key, value);
  for (const auto& [key, value] : {std::pair{"temperature", temperature}, std::pair{"rate", rate}})
    if (!(value > 0)) fail("{}({}={}): expected more than 0", method, key, value);
  if (!(decay >= 0 && decay <= 1)) fail("{}(decay={}): expected 0 to 1", method, decay);
}

}  // namespace berth
