// berth profile: a model with the times, links and overheads of this machine.

#include "berth/runtime/profile.h"

#include "berth/io/files.h"
#include "berth/io/problem_json.h"
#include "berth/report/summary.h"
#include "berth/report/table.h"
#include "cli/input.h"
#include "cli/progress.h"
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
  Table table({"device", right("operators ms"), right("scale"), right("per piece us"),
               right("converted MB/ms")});
  for (const DeviceId device : profiled.devices()) {
    Duration sum{0};
    for (const NodeId node : profiled.graph().nodes())
      if (profiled.time(node, device) != kForever) sum += profiled.time(node, device);
    const DeviceFit& fit = calibration.devices[index(device)];
    table.add_row(
        {profiled.device_name(device), milliseconds_text(sum), fmt::format("{:.2f}", fit.scale),
         fmt::format("{:.0f}", fit.overhead.count()),
         fit.micros_per_byte > 0 ? fmt::format("{:.1f}", 1e-3 / fit.micros_per_byte) : "-"});
  }
  fmt::print("{}\n", table.text());
}

void print_links(const Cluster& cluster) {
  Table table({"from", "to", right("startup us"), right("GB/s")});
  cluster.each_link([&](DeviceId from, DeviceId to) {
    table.add_row({cluster.device(from).name, cluster.device(to).name,
                   fmt::format("{:.1f}", cluster.link(from, to).startup.count()),
                   fmt::format("{:.1f}", cluster.link(from, to).bytes_per_second / 1e9)});
  });
  if (table.row_count() > 0) fmt::print("{}\n", table.text());
}

int profile(const ProfileOptions& options) {
  if (options.output != "-") check_writable(options.output);
  Session session(options.input, options.problem.session);
  const MeasuredModel model =
      session.measure({.calibration = {.fit = options.placements,
                                       .check = options.placements / 2,
                                       .progress = step_line<std::size_t>("measuring placements")},
                       .calibrate_again = options.links});
  const ModelProfile& measured = model.profile;
  const auto [problem, warnings] = finish_problem({model.problem, model.warnings}, options.problem);
  const std::string text = write_problem(problem);
  if (options.output == "-") {
    fmt::print("{}", text);
    print_warnings_aside(warnings);
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
  const auto [verb, options] =
      add_verb(app, chosen, "profile", "a model with times measured on the real devices", profile);
  argument(verb, "MODEL", options.input, kAnyModel);
  add_problem_output(verb, options.output);
  add_devices_option(verb, options.problem);
  verb.add_flag("--links", options.links, "measure links and the cost of cuts again");
  option(verb, "--placements", options.placements, "run to learn what cuts cost", "N",
         integer_from(4, 1000))
      .capture_default_str();
  add_precision_option(verb, options.problem);
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  add_input_options(verb, options.problem);
}

}  // namespace berth
