#include "cli/measurements.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/error.h"
#include "berth/base/text.h"
#include "berth/io/devices_json.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/local_cluster.h"
#include "berth/runtime/profile.h"
#include "cli/input.h"

namespace berth {
namespace {

constexpr double kUnreliable = 0.25;  // as in profile_model

// Puts the precision first, where it is the one used.
void choose_precision(RealDevice& device, const std::string& precision) {
  const auto found = std::find(device.precisions.begin(), device.precisions.end(), precision);
  if (found == device.precisions.end())
    throw Error(fmt::format("--precision {}: {} computes in {} only", precision, device.name,
                            fmt::join(device.precisions, ", ")));
  std::rotate(device.precisions.begin(), found, found + 1);
}

}  // namespace

std::filesystem::path measurement_file() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return std::filesystem::path(cache) / "berth" / "measurements";
  if (!home.empty()) return std::filesystem::path(home) / ".cache" / "berth" / "measurements";
  return {};
}

std::vector<std::string> damage_warnings(const RecordFile& cache) {
  if (cache.damaged() == 0) return {};
  return {fmt::format("{}: {} dropped, to be measured again", measurement_file().string(),
                      plural(cache.damaged(), "damaged record"))};
}

std::vector<std::string> profile_warnings(const ModelProfile& profile) {
  std::vector<std::string> warnings;
  if (profile.was_too_slow)
    warnings.push_back(
        "what was remembered of this model was measured on a busy machine: measured again");
  if (profile.run && median_error(profile.run->held_out) > kUnreliable)
    warnings.push_back(
        fmt::format("predictions are wrong by {} in the median: is the machine busy? "
                    "The calibration is not remembered",
                    percent_text(median_error(profile.run->held_out))));
  return warnings;
}

std::vector<RealDevice> real_devices(const std::string& devices, const std::string& precision) {
  std::vector<RealDevice> found;
  if (const auto local = parse_local(devices)) {
    found = openvino_runtime().devices(local->groups);
  } else {
    const Cluster cluster = load_cluster(devices);
    std::vector<std::string> names;
    for (const DeviceId device : cluster.devices()) names.push_back(cluster.device(device).name);
    found = find_devices(openvino_runtime(), names);
  }
  if (!precision.empty())
    for (RealDevice& device : found) choose_precision(device, precision);
  return found;
}

Cluster load_local_cluster(const std::string& name) {
  RecordFile cache(measurement_file());
  return local_cluster(openvino_runtime(), real_devices(name, ""), cache);
}

std::string estimate_text(const Estimate& estimate) {
  if (estimate.samples == 0) return "-";
  const Duration width = std::max(estimate.high - estimate.median, estimate.median - estimate.low);
  return fmt::format("{} +- {}", milliseconds_text(estimate.median), milliseconds_text(width));
}

}  // namespace berth
