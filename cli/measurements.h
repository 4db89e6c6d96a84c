// Real devices on the command line, and where their measurements are kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "berth/cost/devices.h"
#include "berth/io/record_file.h"
#include "berth/runtime/runtime.h"

namespace berth {

// berth/measurements in the user's cache directory ($XDG_CACHE_HOME, else ~/.cache); empty, which
// keeps nothing, where there is neither.
std::filesystem::path measurement_file();

// "1 damaged record of FILE is measured again", when there is one.
std::vector<std::string> damage_warnings(const RecordFile& cache);

// What to know about a profile: that it was measured again, or that it cannot be relied on.
struct ModelProfile;
std::vector<std::string> profile_warnings(const ModelProfile& profile);

// The devices of this machine that --devices names: local, local:N, or a file whose devices exist
// here. `precision` (empty: the default) must be one that all of them offer.
std::vector<RealDevice> real_devices(const std::string& devices, const std::string& precision);

// `local` or `local:N` as a cluster; its probes are remembered.
Cluster load_local_cluster(const std::string& name);

// "12.3 ms +- 0.4", by the wider side of the interval.
struct Estimate;
std::string estimate_text(const Estimate& estimate);

}  // namespace berth
