// Lists with an entry for each device, and matrices with one for each pair of devices.
#pragma once

#include <cstddef>

#include "berth/base/ids.h"
#include "berth/io/json_value.h"

namespace berth {

// Calls read(device, entry) for each entry of a list; another length than `devices` is an Error.
template <class Read>
void each_device(const JsonValue& list, std::size_t devices, Read&& read) {
  list.check_size(devices, "one per device");
  list.each([&](const JsonValue& entry) { read(static_cast<DeviceId>(entry.position()), entry); });
}

// Calls read(from, to, entry) for each entry of a matrix [from][to], the diagonal included.
template <class Read>
void each_pair(const JsonValue& matrix, std::size_t devices, Read&& read) {
  each_device(matrix, devices, [&](DeviceId from, const JsonValue& row) {
    each_device(row, devices, [&](DeviceId to, const JsonValue& entry) { read(from, to, entry); });
  });
}

}  // namespace berth
