// berth run: a placement executed for real, next to every single device.

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "berth/base/error.h"
#include "berth/io/files.h"
#include "berth/io/json_writer.h"
#include "berth/io/placement_json.h"
#include "berth/modules/build_info.h"
#include "berth/report/table.h"
#include "berth/report/text.h"
#include "berth/runtime/piece_problem.h"
#include "berth/runtime/profile.h"
#include "berth/runtime/race.h"
#include "berth/sim/evaluate.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/measurements.h"
#include "cli/model_input.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct RunOptions {
  std::string input, placement, output, precision;
  InputOptions problem;
  int rounds = 7;
  bool check = false, json = false, strict = false;
};

// One line of the comparison.
struct Row {
  std::string name;
  std::unique_ptr<Executor> latency, throughput;  // throughput null: the same as latency
  int in_flight = 1;
  bool is_placement = false;
  std::string refused;  // why it does not run, when it does not
  RaceTime times{};
  std::optional<Duration> predicted_latency{}, predicted_period{};
  std::optional<double> error{};  // of its outputs

  Executor* throughput_executor() const { return throughput ? throughput.get() : latency.get(); }
};

// Enough requests for every device to have one at hand while the next arrives.
constexpr int kInFlightPerDevice = 2;
constexpr double kLargestErrorF32 = 1e-4, kLargestError16 = 5e-2;

std::vector<Row> prepare_rows(Runtime& runtime, const Model& model,
                              const std::vector<RealDevice>& devices, const Placement& placement) {
  std::vector<Row> rows;
  const int in_flight = kInFlightPerDevice * static_cast<int>(devices.size());
  rows.push_back({.name = "placement",
                  .latency = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent),
                  .throughput = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline),
                  .in_flight = in_flight,
                  .is_placement = true});
  for (const RealDevice& device : devices)
    rows.push_back({.name = device.name, .latency = runtime.prepare_single(model, device, 1)});
  // The cores of all groups as one device: with all threads on one request, or a stream per group.
  const auto groups = std::count_if(devices.begin(), devices.end(), [](const RealDevice& device) {
    return device.kind == DeviceKind::kCpu;
  });
  if (groups > 1) {
    RealDevice whole = runtime.devices(1).front();
    whole.precisions = devices.front().precisions;
    rows.push_back({.name = fmt::format("{}, all cores", whole.name),
                    .latency = runtime.prepare_single(model, whole, 1)});
    const int streams = static_cast<int>(groups);
    rows.push_back({.name = fmt::format("{}, {} streams", whole.name, streams),
                    .latency = runtime.prepare_single(model, whole, streams),
                    .in_flight = in_flight});
  }
  if (devices.size() > 1) {
    Row hetero{
        .name = placement.replicas.empty() ? "HETERO, same placement" : "HETERO, no replicas",
        .in_flight = in_flight};
    try {
      hetero.latency = runtime.prepare(model, devices, placement, ExecutorKind::kHetero);
      hetero.latency->run_once();
    } catch (const Error& error) {
      hetero.latency.reset();
      hetero.refused = error.what();
    }
    rows.push_back(std::move(hetero));
  }
  return rows;
}

void measure(std::vector<Row>& rows, int rounds) {
  std::vector<Competitor> competitors;
  for (const Row& row : rows)
    competitors.push_back({row.name, row.latency.get(), row.throughput_executor(), row.in_flight});
  RacePlan plan{.rounds = rounds, .singles = 4};
  if (isatty(STDERR_FILENO) != 0)
    plan.progress = [](int done, int all) {
      fmt::print(stderr, "\rround {}/{}{}", done + 1, all, done + 1 == all ? "\r\033[K" : "");
    };
  const std::vector<RaceTime> times = race(competitors, plan);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].times = times[i];
}

// Against the first single device.
void check_outputs(std::vector<Row>& rows) {
  const std::vector<Array> expected = rows[1].latency->outputs();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 1 || !rows[i].latency) continue;
    rows[i].error = relative_error(rows[i].latency->outputs(), expected);
    if (rows[i].throughput)
      for (const std::vector<Array>& outputs : rows[i].throughput->outputs_by_slot())
        rows[i].error = std::max(*rows[i].error, relative_error(outputs, expected));
  }
}

void predict_row(Row& row, Runtime& runtime, const Model& model,
                 const std::vector<RealDevice>& devices, const Placement& placement,
                 RecordFile& cache) {
  const auto calibration = remembered_calibration(runtime, model, devices, cache);
  if (!calibration) return;
  std::vector<Device> plain;
  for (const RealDevice& device : devices)
    plain.push_back({.name = device.name, .kind = device.kind});
  const OpTimes times = runtime.measure_ops(model, devices, cache);
  const Problem profiled = profiled_problem(model, Cluster(std::move(plain)), times);
  const auto predicted = [&](Objective objective) {
    return Evaluator(piece_problem(profiled, *calibration, objective))(placement).value;
  };
  row.predicted_latency = predicted(Objective::kLatency);
  row.predicted_period = predicted(Objective::kThroughput);
}

std::string predicted_text(const std::optional<Duration>& predicted, const Estimate& measured) {
  if (!predicted) return "-";
  return fmt::format("{} ({:+.0f}%)", milliseconds_text(*predicted),
                     100 * (*predicted / measured.median - 1));
}

std::string table_text(const std::vector<Row>& rows) {
  Table table({{"run as"},
               {"latency ms", Align::kRight},
               {"predicted", Align::kRight},
               {"ms per sample", Align::kRight},
               {"predicted", Align::kRight},
               {"samples/s", Align::kRight},
               {"output error", Align::kRight}});
  for (const Row& row : rows) {
    const bool ran = row.times.period.samples > 0;
    table.add_row({row.name, estimate_text(row.times.latency),
                   predicted_text(row.predicted_latency, row.times.latency),
                   estimate_text(row.times.period),
                   predicted_text(row.predicted_period, row.times.period),
                   ran ? fmt::format("{:.2f}", 1 / in_seconds(row.times.period.median)) : "-",
                   row.error ? fmt::format("{:.1e}", *row.error) : "-"});
  }
  return table.text();
}

// Which row is best in one respect, in a sentence that says so when that is not the placement.
std::string verdict(const std::vector<Row>& rows, const char* what, Estimate RaceTime::*measured) {
  const auto better = [&](const Row& a, const Row& b) {
    return (a.times.*measured).median < (b.times.*measured).median;
  };
  const Row* best_other = nullptr;
  for (const Row& row : rows)
    if (!row.is_placement && (row.times.*measured).samples > 0 &&
        (best_other == nullptr || better(row, *best_other)))
      best_other = &row;
  const Row& placement = rows.front();
  if (best_other == nullptr) return "";
  const Estimate &own = placement.times.*measured, &other = best_other->times.*measured;
  const double ratio = other.median / own.median;
  if (own.clearly_below(other))
    return fmt::format("{}: the placement is {:.2f}x as fast as the best alternative, {}\n", what,
                       ratio, best_other->name);
  if (other.clearly_below(own))
    return fmt::format("{}: {} is best, {:.2f}x as fast as the placement\n", what, best_other->name,
                       1 / ratio);
  return fmt::format("{}: no clear difference between the placement and {} ({:.2f}x)\n", what,
                     best_other->name, ratio);
}

void write_estimate(JsonWriter& json, const std::string& name, const Estimate& estimate) {
  json.key(name);
  if (estimate.samples == 0) return json.null();
  json.open_object();
  json.member("median_ms", in_milliseconds(estimate.median));
  json.member("low_ms", in_milliseconds(estimate.low));
  json.member("high_ms", in_milliseconds(estimate.high));
  json.member("samples", std::int64_t{estimate.samples});
  json.close_object();
}

void write_duration(JsonWriter& json, const std::string& name,
                    const std::optional<Duration>& time) {
  json.key(name);
  if (time)
    json.value(in_milliseconds(*time));
  else
    json.null();
}

std::string json_text(const RunOptions& options, const std::vector<Row>& rows,
                      const std::vector<RealDevice>& devices, bool passed,
                      const std::vector<std::string>& warnings) {
  JsonWriter json;
  json.open_object();
  json.member("berth", version());
  json.member("kind", "run");
  json.member("input", options.input);
  json.member("placement", options.placement);
  json.member("checked", options.check);
  json.member("passed", passed);
  json.line(1);
  json.key("devices");
  json.open_array();
  for (const RealDevice& device : devices) {
    json.open_object();
    json.member("name", device.name);
    json.member("description", device.description);
    json.close_object();
  }
  json.close_array();
  json.line(1);
  json.key("rows");
  json.open_array();
  for (const Row& row : rows) {
    json.line(2);
    json.open_object();
    json.member("name", row.name);
    write_estimate(json, "latency", row.times.latency);
    write_duration(json, "predicted_latency_ms", row.predicted_latency);
    write_estimate(json, "period", row.times.period);
    write_duration(json, "predicted_period_ms", row.predicted_period);
    json.key("output_error");
    if (row.error)
      json.value(*row.error);
    else
      json.null();
    json.key("pieces");
    if (row.latency)
      json.value(std::uint64_t{row.latency->pieces().size()});
    else
      json.null();
    json.member("refused", row.refused);
    json.close_object();
  }
  json.close_array();
  json.line(1);
  json.key("warnings");
  json.open_array();
  for (const std::string& warning : warnings) json.value(warning);
  json.close_array();
  json.close_object();
  return std::move(json).finish();
}

int run(const RunOptions& options) {
  if (!options.output.empty()) check_writable(options.output);
  if (!is_model(options.input))
    throw Error(
        fmt::format("{}: expected a model file or zoo:NAME; a problem file has nothing "
                    "that runs",
                    options.input));
  Runtime& runtime = openvino_runtime();
  RecordFile cache(measurement_file());
  std::vector<std::string> warnings = damage_warnings(cache);
  const std::string name = options.problem.devices.empty() ? "local" : options.problem.devices;
  const std::vector<RealDevice> devices = real_devices(name, options.precision);
  const std::unique_ptr<Model> model = runtime.open(model_source(options.input, options.problem));
  std::vector<Device> plain;
  for (const RealDevice& device : devices)
    plain.push_back({.name = device.name, .kind = device.kind});
  const Problem shape(model->name(), model->graph(), Cluster(std::move(plain)),
                      {NodeTimes(model->graph().node_count(), devices.size()), {}}, {},
                      InPieces{.objective = Objective::kThroughput});
  const Placement placement = read_placement(options.placement, shape);
  if (const auto broken = broken_rule(shape, placement))
    throw Error(fmt::format("{}: {}", options.placement, *broken));

  std::vector<Row> rows = prepare_rows(runtime, *model, devices, placement);
  measure(rows, options.rounds);
  if (options.check) check_outputs(rows);
  predict_row(rows.front(), runtime, *model, devices, placement, cache);

  for (const Row& row : rows)
    if (!row.refused.empty())
      warnings.push_back(fmt::format("{} did not run: {}", row.name, row.refused));
  const bool is_f32 = devices.front().precisions.front() == "f32";
  const double allowed = is_f32 ? kLargestErrorF32 : kLargestError16;
  const bool passed = !rows.front().error || *rows.front().error <= allowed;
  const std::string json = json_text(options, rows, devices, passed, warnings);
  if (!options.output.empty()) write_file_atomically(options.output, json);
  if (options.json) {
    fmt::print("{}", json);
  } else {
    std::size_t used = 0;
    for (const RealDevice& device : devices) {
      std::size_t pieces = 0;
      const Row& placed = rows.front();
      const Executor& executor = placement.replicas.empty() ? *placed.latency : *placed.throughput;
      for (const RunningPiece& piece : executor.pieces())
        pieces += piece.executed_on == device.name;
      fmt::print("{}: {}, {} executed there\n", device.name, device.description,
                 plural(pieces, "piece"));
      used += pieces > 0;
    }
    fmt::print("\n{}\n{}{}", table_text(rows), verdict(rows, "latency", &RaceTime::latency),
               verdict(rows, "throughput", &RaceTime::period));
    if (used < 2 && devices.size() > 1) fmt::print("the placement uses one device\n");
    if (options.check)
      fmt::print("check: outputs differ from {} by {:.1e} relative, allowed {:.0e}: {}\n",
                 rows[1].name, *rows.front().error, allowed, passed ? "passed" : "FAILED");
    print_warnings(warnings);
    if (!options.output.empty()) fmt::print("\nwrote {}\n", options.output);
  }
  return exit_code(passed, options.strict, warnings);
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& verb = *app.add_subcommand("run", "execute a placement, next to every single device");
  verb.add_option("MODEL", options->input, "model file, or zoo:NAME(key=value,...)")
      ->required()
      ->type_name("");
  verb.add_option("PLACEMENT", options->placement, "file that place wrote, or {node: device}")
      ->required()
      ->type_name("");
  add_devices_option(verb, options->problem);
  verb.add_flag("--check", options->check,
                "compare outputs with one device; exit 1 if they differ");
  verb.add_option("--rounds", options->rounds, "of measuring everything in turn")
      ->check(integer_from(1, 10'000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--precision", options->precision, "f32 (default), or what berth doctor lists")
      ->type_name("P");
  verb.add_option("--batch", options->problem.batch, "samples per run")
      ->check(integer_from(1))
      ->type_name("N");
  verb.add_option("--shape", options->problem.shapes, "the shape of an input, INPUT=1,3,224,224")
      ->type_name("SHAPE")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("-o,--output", options->output, "write the measurements")->type_name("FILE");
  verb.add_flag("--strict", options->strict, "exit 1 on any warning");
  verb.add_flag("--json", options->json, "print one JSON object");
  verb.callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace berth
