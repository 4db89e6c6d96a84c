#include "cli/input.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/runtime/runtime.h"
#include "cli/checks.h"

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

void add_devices_option(CLI::App& verb, InputOptions& options) {
  option(verb, "--devices", options.session.devices,
         "devices file, local, or the name of a built-in cluster", "D");
}

void add_problem_output(CLI::App& verb, std::string& output) {
  option(verb, "-o,--output", output, "problem file to write; - for standard output", "FILE")
      .required();
}

void add_model_options(CLI::App& verb, InputOptions& options, const std::string& scope) {
  option(verb, "--batch", options.session.batch, scope + "samples per run", "N", integer_from(1));
  option(verb, "--shape", options.session.shapes,
         scope + "the shape of an input, INPUT=1,3,224,224", "SHAPE")
      .take_all()
      ->allow_extra_args(false);
}

void add_precision_option(CLI::App& verb, InputOptions& options) {
  option(verb, "--precision", options.session.precision,
         "f32 (default), or what berth doctor lists", "P");
}

void add_input_options(CLI::App& verb, InputOptions& options) {
  option(verb, "--constraints", options.changes.constraints,
         "file with pin, forbid, together, apart", "FILE");
  option(verb, "--reserve", options.changes.reserve,
         "leave memory free: DEV=10%, DEV=2GiB, or 10% of each", "DEV=X")
      .take_all()
      ->allow_extra_args(false);
  verb.add_flag("--ignore-memory", options.session.ignore_memory, "lift the memory limits");
  verb.add_flag("--training", options.session.training,
                "models, pipedream files: add the backward pass");
  option(verb, "--optimizer", options.optimizer,
         "models with --training: whose state is kept in memory; default sgd",
         listed(enum_words<Optimizer>(), "|"), one_of(enum_words<Optimizer>()));
  verb.add_flag("--untied", options.session.untied,
                "models: the users of one weight need not share a device");
  add_model_options(verb, options, "models: ");
  add_execution_options(verb, options.execution);
  option(verb, "--servers", options.changes.servers,
         "call throughput: divide the devices into N servers with a network between them", "N",
         integer_from(1, 4096))
      .group(kExecutionGroup);
  option(verb, "--network", options.changes.network,
         "call throughput: bandwidth between servers; default: as the devices say, or free", "GB/S",
         number_from(1e-9))
      .group(kExecutionGroup);
}

Session open_input(const std::string& input, const InputOptions& options) {
  SessionOptions session = options.session;
  session.optimizer = enum_value<Optimizer>(options.optimizer).value_or(Optimizer::kSgd);
  if (input.ends_with(".gz") && !is_model(input))
    fail("{}: is compressed; use zcat {} | berth VERB -", input, input);
  if (input == "-") session.text = read_standard_input();
  return Session(input, std::move(session));
}

LoadedProblem load_input(const std::string& input, const InputOptions& options) {
  return finish_problem(open_input(input, options).problem(), options);
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
  if (fs::is_directory(path, ignored)) fail("{}: is a folder, expected a file", path);
  if (!fs::is_directory(folder, ignored))
    fail("{}: cannot be written, there is no folder {}", path, folder.string());
  if (access(folder.c_str(), W_OK) != 0)
    fail("{}: cannot be written, no permission in {}", path, folder.string());
}

}  // namespace berth
