#include "cli/model_input.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/cost/change_cluster.h"
#include "berth/runtime/local_cluster.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/piece_problem.h"
#include "berth/runtime/profile.h"
#include "cli/measurements.h"
#include "cli/warnings.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

// What people have in mind who name no devices: this host with a graphics card.
constexpr const char* kDefaultCluster = "cpu+gpu";

std::pair<std::string, std::vector<std::int64_t>> parse_shape(const std::string& request) {
  const std::size_t split = request.rfind('=');
  const std::string name = split == std::string::npos ? "" : request.substr(0, split);
  std::vector<std::int64_t> shape;
  const char* at = request.data() + (split == std::string::npos ? 0 : split + 1);
  const char* const end = request.data() + request.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [after, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || (after != end && *after != ','))
      throw Error(fmt::format("--shape {}: expected INPUT=1,3,224,224", request));
    shape.push_back(extent);
    if (after == end) return {name, shape};
    at = after + 1;
  }
}

}  // namespace

bool is_model(const std::string& input) {
  static constexpr std::array kExtensions{".onnx",   ".xml",     ".pb", ".pbtxt", ".meta",
                                          ".tflite", ".pdmodel", ".pt", ".pth",   ".gguf"};
  if (input.starts_with("zoo:")) return true;
  std::error_code ignored;
  if (fs::is_directory(input, ignored))
    return fs::exists(fs::path(input) / "saved_model.pb", ignored);
  return std::ranges::find(kExtensions, fs::path(input).extension().string()) != kExtensions.end();
}

ModelSource model_source(const std::string& input, const InputOptions& options) {
  ModelSource source{.spec = input, .batch = options.batch, .shapes = {}};
  for (const std::string& request : options.shapes) source.shapes.push_back(parse_shape(request));
  return source;
}

namespace {

// On this machine: what the model really takes here, measured now or remembered.
LoadedProblem load_measured(const std::string& input, const InputOptions& options) {
  Runtime& runtime = openvino_runtime();
  RecordFile cache(measurement_file());
  const std::vector<RealDevice> devices = real_devices(options.devices, "");
  const std::unique_ptr<Model> model = runtime.open(model_source(input, options));
  Cluster cluster = local_cluster(runtime, devices, cache);
  if (options.ignore_memory) cluster = without_limits(std::move(cluster));
  const ModelProfile profile = profile_model(runtime, *model, devices, cluster, cache, {});
  LoadedProblem result{piece_problem(profile.profiled, profile.calibration),
                       damage_warnings(cache)};
  add_new(result.warnings, profile_warnings(profile));
  return result;
}

}  // namespace

LoadedProblem load_model(const std::string& input, const InputOptions& options) {
  if (parse_local(options.devices) && !options.estimate && !options.training)
    return load_measured(input, options);
  Cluster cluster = load_cluster(options.devices.empty() ? kDefaultCluster : options.devices);
  if (options.ignore_memory) cluster = without_limits(std::move(cluster));
  ModelSource source = model_source(input, options);
  source.values = false;
  const std::unique_ptr<Model> model = openvino_runtime().open(source);
  LoadedProblem result{model_problem(*model, cluster, options.training), {}};
  if (options.devices.empty())
    result.warnings.push_back(fmt::format(
        "no --devices given: times are estimated for the built-in cluster {}", kDefaultCluster));
  return result;
}

}  // namespace berth
