#include "cli/input.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "berth/base/error.h"
#include "berth/cost/clusters.h"
#include "berth/io/constraints_json.h"
#include "berth/io/devices_json.h"
#include "berth/io/files.h"
#include "berth/io/read_problem.h"
#include "berth/report/text.h"
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

bool same_devices(const Cluster& a, const Cluster& b) {
  if (a.device_count() != b.device_count()) return false;
  for (const DeviceId device : a.devices())
    if (a.device(device).name != b.device(device).name) return false;
  return true;
}

Constraints merged(Constraints first, const Constraints& second) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(first.pin, second.pin);
  append(first.forbid, second.forbid);
  append(first.together, second.together);
  append(first.apart, second.apart);
  return first;
}

struct Amount {
  double count = 0;
  bool is_share = false;  // of the device's memory; otherwise bytes
};

Amount parse_amount(const std::string& request, std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 11> kUnits{
      {{"", 1},
       {"B", 1},
       {"%", 0.01},
       {"KB", 1e3},
       {"MB", 1e6},
       {"GB", 1e9},
       {"TB", 1e12},
       {"KiB", 1024.0},
       {"MiB", 1024.0 * 1024},
       {"GiB", 1024.0 * 1024 * 1024},
       {"TiB", 1024.0 * 1024 * 1024 * 1024}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size() - end);
  for (const auto& [name, factor] : kUnits)
    if (error == std::errc() && name == unit && std::isfinite(number) && number >= 0)
      return {number * factor, unit == "%"};
  throw Error(fmt::format("--reserve {}: expected DEVICE=10% or DEVICE=2GiB", request));
}

LoadedProblem load_file(const std::string& input, const InputOptions& options) {
  ReadOptions read{
      .cluster = {}, .training = options.training, .ignore_memory = options.ignore_memory};
  if (!options.devices.empty()) read.cluster = load_cluster(options.devices);
  LoadedProblem result{read_file(input, read), {}};
  if (read.cluster && !same_devices(*read.cluster, result.problem.cluster()))
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
  verb.add_option("--constraints", options.constraints, "file with pin, forbid, together, apart")
      ->type_name("FILE");
  verb.add_option("--reserve", options.reserve,
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
  verb.add_option("--servers", options.servers,
                  "call throughput: divide the devices into N servers with a network between them")
      ->check(integer_from(1, 4096))
      ->type_name("N")
      ->group(kExecutionGroup);
  verb.add_option(
          "--network", options.network,
          "call throughput: bandwidth between servers; default: as the devices say, or free")
      ->check(number_from(1e-9))
      ->type_name("GB/S")
      ->group(kExecutionGroup);
}

Cluster load_cluster(const std::string& name_or_file) {
  if (parse_local(name_or_file)) return load_local_cluster(name_or_file);
  if (const auto cluster = built_in_cluster(name_or_file)) return *cluster;
  if (std::filesystem::exists(name_or_file)) return read_devices(name_or_file);
  const std::vector<std::string> names = built_in_cluster_names();
  throw Error(fmt::format("--devices {}: neither a file nor a built-in cluster (local, {})",
                          name_or_file, fmt::join(names, ", ")));
}

ReservedCluster reserve_memory(Cluster cluster, const std::vector<std::string>& requests) {
  ReservedCluster result{std::move(cluster), {}};
  for (const std::string& request : requests) {
    const std::size_t split = request.rfind('=');
    const std::string name = split == std::string::npos ? "" : request.substr(0, split);
    const Amount amount = parse_amount(request, std::string_view(request).substr(split + 1));
    bool found = false;
    for (const DeviceId id : result.cluster.devices()) {
      Device device = result.cluster.device(id);
      if (split != std::string::npos && device.name != name) continue;
      found = true;
      if (!device.memory) {
        result.warnings.push_back(fmt::format(
            "--reserve {}: {} has no memory limit, nothing is reserved", request, device.name));
        continue;
      }
      const double limit = static_cast<double>(device.memory->count);
      const double kept = limit - (amount.is_share ? limit * amount.count : amount.count);
      if (kept < 0)
        throw Error(fmt::format("--reserve {}: {} has only {}", request, device.name,
                                bytes_text(*device.memory)));
      device.memory = Bytes{static_cast<std::int64_t>(kept)};
      result.cluster.set_device(id, device);
    }
    if (found) continue;
    std::vector<std::string> names;
    for (const DeviceId id : result.cluster.devices())
      names.push_back(result.cluster.device(id).name);
    throw Error(fmt::format("--reserve {}: no device is called '{}'; there are {}", request, name,
                            fmt::join(names, ", ")));
  }
  return result;
}

Cluster in_servers(Cluster cluster, int servers) {
  const std::size_t count = static_cast<std::size_t>(servers);
  if (count > cluster.device_count())
    throw Error(fmt::format("--servers {}: there are only {} devices to divide", servers,
                            cluster.device_count()));
  std::size_t of_kind[2] = {0, 0}, given[2] = {0, 0};  // accelerators, CPUs
  for (const DeviceId id : cluster.devices()) ++of_kind[cluster.device(id).is_host()];
  for (const DeviceId id : cluster.devices()) {
    Device device = cluster.device(id);
    const bool host = device.is_host();
    device.server = fmt::format("server{}", given[host]++ * count / of_kind[host]);
    cluster.set_device(id, std::move(device));
  }
  return cluster;
}

LoadedProblem load_problem(const std::string& input, const InputOptions& options) {
  return finish_problem(is_model(input) ? load_model(input, options) : load_file(input, options),
                        options);
}

LoadedProblem finish_problem(LoadedProblem result, const InputOptions& options) {
  Problem& problem = result.problem;
  if (!options.reserve.empty()) {
    ReservedCluster reserved = reserve_memory(problem.cluster(), options.reserve);
    problem = problem.with_cluster(std::move(reserved.cluster));
    result.warnings.insert(result.warnings.end(), reserved.warnings.begin(),
                           reserved.warnings.end());
  }
  if (options.servers)
    problem = problem.with_cluster(in_servers(problem.cluster(), *options.servers));
  if (options.network) {
    Cluster cluster = problem.cluster();
    cluster.set_network(cluster.network().startup, *options.network * 1e9);
    problem = problem.with_cluster(std::move(cluster));
  }
  if (!options.constraints.empty())
    problem = problem.with_constraints(
        merged(problem.constraints(),
               read_constraints(options.constraints, problem.graph(), problem.cluster())));
  ChosenModel chosen = choose_model(problem, options.execution);
  problem = problem.with_model(chosen.model);
  if ((options.servers.value_or(1) > 1 || options.network) && !problem.counts_network())
    chosen.warnings.push_back(fmt::format(
        "{} is not used: it means nothing for {}", options.network ? "--network" : "--servers",
        problem.cluster().servers().count() > 1 ? described(problem.model()) : "a single server"));
  result.warnings.insert(result.warnings.end(), chosen.warnings.begin(), chosen.warnings.end());
  return result;
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
