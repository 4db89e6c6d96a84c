// What a failing call says.
#pragma once

#include <string>

#include "berth/base/error.h"

namespace berth {

// The message of the Error that `call` throws; "no error" when it does not.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace berth
