// berth profile: a model with the times, links and overheads of this machine.

#include "berth/runtime/profile.h"

#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "berth/base/text.h"
#include "berth/io/files.h"
#include "berth/io/problem_json.h"
#include "berth/report/summary.h"
#include "berth/report/table.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct ProfileOptions {
  std::string input, output;
  InputOptions problem;
  std::size_t placements = 12;
  bool links = false, strict = false;
};

void print_devices(const Problem& profiled, const Calibration& calibration) {
  Table table({{"device"},
               {"operators ms", Align::kRight},
               {"scale", Align::kRight},
               {"per piece us", Align::kRight},
               {"converted MB/ms", Align::kRight}});
  for (const DeviceId device : profiled.devices()) {
    Duration sum{0};
    for (const NodeId node : profiled.graph().nodes())
      if (profiled.time(node, device) != kForever) sum += profiled.time(node, device);
    const DeviceFit& fit = calibration.devices[index(device)];
    table.add_row(
        {profiled.cluster().device(device).name, milliseconds_text(sum),
         fmt::format("{:.2f}", fit.scale), fmt::format("{:.0f}", fit.overhead.count()),
         fit.micros_per_byte > 0 ? fmt::format("{:.1f}", 1e-3 / fit.micros_per_byte) : "-"});
  }
  fmt::print("{}\n", table.text());
}

void print_links(const Cluster& cluster) {
  Table table({{"from"}, {"to"}, {"startup us", Align::kRight}, {"GB/s", Align::kRight}});
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices())
      if (from != to)
        table.add_row({cluster.device(from).name, cluster.device(to).name,
                       fmt::format("{:.1f}", cluster.link(from, to).startup.count()),
                       fmt::format("{:.1f}", cluster.link(from, to).bytes_per_second / 1e9)});
  if (table.row_count() > 0) fmt::print("{}\n", table.text());
}

// On standard error, and only for somebody who watches.
std::function<void(std::size_t, std::size_t)> progress_on_terminal() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::size_t done, std::size_t all) {
    fmt::print(stderr, "\rmeasuring placements {}/{}{}", done + 1, all,
               done + 1 == all ? "\r\033[K" : "");
  };
}

int profile(const ProfileOptions& options) {
  if (options.output != "-") check_writable(options.output);
  Session session(options.input, options.problem.session);
  const MeasuredModel model = session.measure({.calibration = {.fit = options.placements,
                                                               .check = options.placements / 2,
                                                               .progress = progress_on_terminal()},
                                               .calibrate_again = options.links});
  const ModelProfile& measured = model.profile;
  const auto [problem, warnings] = finish_problem({model.problem, model.warnings}, options.problem);
  const std::string text = write_problem(problem);
  if (options.output == "-") {
    fmt::print("{}", text);
    for (const std::string& warning : warnings) fmt::print(stderr, "berth: warning: {}\n", warning);
    return exit_code(true, options.strict, warnings);
  }
  write_file_atomically(options.output, text);
  fmt::print("{}: {}\n", options.input, problem_text(problem));
  fmt::print("{} measured, {} known already; {} stay together because they run as one\n\n",
             plural(static_cast<std::size_t>(measured.times.measured), "kernel"),
             measured.times.reused, plural(measured.times.fused.size(), "group"));
  print_devices(measured.profiled, measured.calibration);
  if (options.links) print_links(measured.profiled.cluster());
  if (problem.device_count() > 1)
    fmt::print("a further busy device slows all by {}\n",
               percent_text(measured.calibration.contention));
  if (measured.run)
    fmt::print("predicted latency of {} that were not fitted: median error {}\n",
               plural(measured.run->held_out.size(), "placement"),
               percent_text(median_error(measured.run->held_out)));
  print_warnings(warnings);
  fmt::print("wrote {}\n", options.output);
  return exit_code(true, options.strict, warnings);
}

}  // namespace

void add_profile(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App& verb =
      *app.add_subcommand("profile", "a model with times measured on the real devices");
  verb.add_option("MODEL", options->input, "model file, or zoo:NAME(key=value,...)")
      ->required()
      ->type_name("");
  verb.add_option("-o,--output", options->output, "problem file to write; - for standard output")
      ->type_name("FILE")
      ->required();
  add_devices_option(verb, options->problem);
  verb.add_flag("--links", options->links, "measure links and the cost of cuts again");
  verb.add_option("--placements", options->placements, "run to learn what cuts cost")
      ->check(integer_from(4, 1000))
      ->type_name("N")
      ->capture_default_str();
  add_precision_option(verb, options->problem);
  verb.add_flag("--strict", options->strict, "exit 1 on any warning");
  add_input_options(verb, options->problem);
  verb.callback([options, &chosen] { chosen = [options] { return profile(*options); }; });
}

}  // namespace berth
