#include "cli/input.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "berth/base/error.h"
#include "berth/cost/clusters.h"
#include "berth/io/devices_json.h"
#include "berth/io/read_problem.h"
#include "berth/runtime/local_cluster.h"
#include "cli/checks.h"
#include "cli/measurements.h"
#include "cli/model_input.h"

namespace berth {
namespace {

std::string read_standard_input() {
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), stdin))
    text.append(block.data(), count);
  if (std::ferror(stdin) != 0) throw Error("standard input: cannot be read");
  return text;
}

Problem read_file(const std::string& input, const ReadOptions& options) {
  if (input.ends_with(".gz"))
    throw Error(fmt::format("{}: is compressed; use zcat {} | berth VERB -", input, input));
  if (input == "-") return parse_problem(read_standard_input(), "standard input", options);
  return read_problem(input, options);
}

LoadedProblem load_file(const std::string& input, const InputOptions& options) {
  ReadOptions read{
      .cluster = {}, .training = options.training, .ignore_memory = options.ignore_memory};
  if (!options.devices.empty()) read.cluster = load_cluster(options.devices);
  LoadedProblem result{read_file(input, read), {}};
  if (read.cluster && device_names(*read.cluster) != device_names(result.problem.cluster()))
    result.warnings.push_back(
        fmt::format("--devices {} is not used: {} brings its own devices", options.devices, input));
  if (options.training && !result.problem.is_training())
    result.warnings.push_back(fmt::format("--training is not used: {} has fixed work", input));
  if (options.batch)
    result.warnings.push_back(
        "--batch is not used: a problem file has its batch size in its times");
  if (!options.shapes.empty())
    result.warnings.push_back("--shape is not used: a problem file has the shapes in its sizes");
  return result;
}

}  // namespace

void add_devices_option(CLI::App& verb, InputOptions& options) {
  verb.add_option("--devices", options.devices,
                  "devices file, local, or the name of a built-in cluster")
      ->type_name("D");
}

void add_input_options(CLI::App& verb, InputOptions& options) {
  verb.add_option("--constraints", options.changes.constraints,
                  "file with pin, forbid, together, apart")
      ->type_name("FILE");
  verb.add_option("--reserve", options.changes.reserve,
                  "leave memory free: DEV=10%, DEV=2GiB, or 10% of each")
      ->type_name("DEV=X")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_flag("--ignore-memory", options.ignore_memory, "lift the memory limits");
  verb.add_flag("--training", options.training, "models, pipedream files: add the backward pass");
  verb.add_option("--batch", options.batch, "models: samples per run")
      ->check(integer_from(1))
      ->type_name("N");
  verb.add_option("--shape", options.shapes, "models: the shape of an input, INPUT=1,3,224,224")
      ->type_name("SHAPE")
      ->take_all()
      ->allow_extra_args(false);
  add_execution_options(verb, options.execution);
  verb.add_option("--servers", options.changes.servers,
                  "call throughput: divide the devices into N servers with a network between them")
      ->check(integer_from(1, 4096))
      ->type_name("N")
      ->group(kExecutionGroup);
  verb.add_option(
          "--network", options.changes.network,
          "call throughput: bandwidth between servers; default: as the devices say, or free")
      ->check(number_from(1e-9))
      ->type_name("GB/S")
      ->group(kExecutionGroup);
}

Cluster load_cluster(const std::string& name_or_file) {
  if (parse_local(name_or_file)) return load_local_cluster(name_or_file);
  return find_cluster(name_or_file);
}

LoadedProblem load_problem(const std::string& input, const InputOptions& options) {
  return finish_problem(is_model(input) ? load_model(input, options) : load_file(input, options),
                        options);
}

LoadedProblem finish_problem(LoadedProblem loaded, const InputOptions& options) {
  loaded = with_options(std::move(loaded), options.changes);
  const ChosenModel chosen = choose_model(loaded.problem, options.execution);
  loaded.problem = loaded.problem.with_model(chosen.model);
  for (const auto& more : {chosen.warnings, unused_options(loaded.problem, options.changes)})
    loaded.warnings.insert(loaded.warnings.end(), more.begin(), more.end());
  return loaded;
}

void check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (fs::is_directory(path, ignored))
    throw Error(fmt::format("{}: is a folder, expected a file", path));
  if (!fs::is_directory(folder, ignored))
    throw Error(fmt::format("{}: cannot be written, there is no folder {}", path, folder.string()));
  if (access(folder.c_str(), W_OK) != 0)
    throw Error(fmt::format("{}: cannot be written, no permission in {}", path, folder.string()));
}

}  // namespace berth
