// Table 2 for real: methods on the devices of this machine, measured side by side.
//
// Every method places the model as it was measured here; then all placements take turns, forward
// and back (ABBA), one request each, so that drift and other programs meet all of them. A row is
// compared with the first, one device alone, by the median of its paired ratios and their 95 %
// interval.
#pragma once

#include <optional>
#include <string>

namespace berth::bench {

// `updates` of hsdag; empty: its own.
void print_local(const std::string& model, std::optional<int> updates);

}  // namespace berth::bench
