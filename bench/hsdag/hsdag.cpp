// The tables of HSDAG's paper in our setting (setting.h), and the ablations of both presets.
//
//   bench_hsdag [--full] [--seeds N] [--updates N] [--network NAME]
//               [--table 1|2|3|5|ablation|local]...
//   bench_hsdag --table evaluations|seconds [--seeds N] [--evaluations N]... [--seconds S] FILE...
//
//   1         sizes of the graphs
//   2         latency of every method, sequential and concurrent, the published values beside
//   3         the paper's preset without parts of its features
//   5         time of the search
//   ablation  each preset with one part exchanged, `updates` updates of the policy; all rows for
//             the first network, the main ones for the others
//   local     table 2 by real runs on this machine, which must do nothing else (local.h); only when
//             it is named
//   evaluations, seconds
//             against annealing at equal budgets, on problem files (equal_budget.h)
// Short (default): 2 seeds, few updates, a few minutes. --full: 5 seeds, as many updates as the
// presets have, an hour. Markdown on standard output.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/hsdag/equal_budget.h"
#include "bench/hsdag/local.h"
#include "bench/hsdag/setting.h"
#include "bench/hsdag/trial.h"
#include "berth/base/error.h"
#include "berth/base/options.h"
#include "berth/base/text.h"
#include "berth/modules/build_info.h"

namespace berth::bench {
namespace {

struct Arguments {
  bool full = false;
  int seeds = 2;
  std::optional<int> updates;  // of both presets; empty: the presets' own
  int ablation_updates = 10;
  std::string network;
  std::set<std::string> tables;
  std::vector<std::uint64_t> evaluations;
  double seconds = 20;
  std::vector<std::string> files;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::optional<int> seeds, updates;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--full") {
      arguments.full = true;
      continue;
    }
    if (!words[i].starts_with("--")) {
      arguments.files.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) throw Error(fmt::format("{}: expected a value after it", words[i]));
    if (words[i] == "--seeds")
      seeds = std::atoi(words[++i].c_str());
    else if (words[i] == "--updates")
      updates = std::atoi(words[++i].c_str());
    else if (words[i] == "--network")
      arguments.network = words[++i];
    else if (words[i] == "--evaluations")
      arguments.evaluations.push_back(std::strtoull(words[++i].c_str(), nullptr, 10));
    else if (words[i] == "--seconds")
      arguments.seconds = std::atof(words[++i].c_str());
    else if (words[i] == "--table")
      arguments.tables.insert(words[++i]);
    else
      throw Error(
          fmt::format("{}: unknown, expected --full, --seeds, --updates, --network, "
                      "--evaluations, --seconds or --table",
                      words[i]));
  }
  if ((seeds && *seeds < 1) || (updates && *updates < 1))
    throw Error("--seeds and --updates: expected a number from 1 on");
  if (arguments.evaluations.empty()) arguments.evaluations = {2000, 5000, 10000};
  arguments.seeds = seeds.value_or(arguments.full ? 5 : 2);
  arguments.updates = updates ? updates : arguments.full ? std::nullopt : std::optional(10);
  arguments.ablation_updates = updates.value_or(arguments.full ? 30 : 10);
  if (arguments.tables.empty()) arguments.tables = {"1", "2", "3", "5", "ablation"};
  return arguments;
}

std::string hsdag(std::vector<std::string> keys, std::optional<int> updates) {
  if (updates) keys.push_back(fmt::format("updates={}", *updates));
  return keys.empty() ? "hsdag" : fmt::format("hsdag({})", fmt::join(keys, ","));
}

// Each row is printed when it is there: tables take long.
void head(const std::string& title, const std::vector<std::string>& columns) {
  std::string rule;
  for (std::size_t i = 0; i < columns.size(); ++i) rule += "---|";
  fmt::print("\n{}\n\n| {} |\n|{}\n", title, fmt::join(columns, " | "), rule);
  std::fflush(stdout);
}
void row(const std::vector<std::string>& cells) {
  fmt::print("| {} |\n", fmt::join(cells, " | "));
  std::fflush(stdout);
}

std::string gain_text(double value, double reference) {
  const double tenths = std::round(1000 * (1 - value / reference));
  return fmt::format("{:+.1f} %", tenths == 0 ? 0.0 : tenths / 10);  // no "-0.0"
}
std::string gain_text(const Trial& trial, double reference) {
  return trial.empty() ? "" : gain_text(in_milliseconds(trial.value().median), reference);
}

void print_sizes(const std::vector<Setting>& settings) {
  head("**Table 1.** Nodes / edges", {"network", "as the file has it", "published",
                                      "co-located as published", "placed by berth"});
  for (const Setting& s : settings)
    row({s.network.name, fmt::format("{} / {}", s.file_nodes, s.file_edges),
         fmt::format("{} / {}", s.network.published.nodes, s.network.published.edges),
         fmt::format("{} / {}", s.colocated_nodes, s.colocated_edges),
         fmt::format("{} in {} units", s.sequential.node_count(), s.sequential.unit_count())});
}

void print_latency(const Setting& setting, const Arguments& arguments) {
  const Published& published = setting.network.published;
  head(fmt::format("**Table 2, {}.** Latency in ms, and what is gained over GPU-only",
                   setting.network.name),
       {"method", "sequential", "gain", "concurrent", "gain", "evaluations", "seconds", "published",
        "gain"});
  const auto print = [&](const std::string& name, const Trial& sequential, const Trial& concurrent,
                         std::optional<double> known) {
    row({name, value_text(sequential), gain_text(sequential, published.gpu), value_text(concurrent),
         gain_text(concurrent, published.gpu),
         concurrent.empty() ? "" : count_text(concurrent.evaluations()),
         concurrent.empty() ? "" : seconds_text(concurrent.seconds()),
         known ? fmt::format("{}", *known) : "", known ? gain_text(*known, published.gpu) : ""});
  };
  const auto both = [&](const std::string& name, const std::string& spec,
                        std::optional<double> known = std::nullopt) {
    print(name, run_trial(spec, setting.sequential, arguments.seeds),
          run_trial(spec, setting.concurrent, arguments.seeds), known);
  };
  both("CPU-only", "single-device(device=cpu)", published.cpu);
  both("GPU-only", "single-device(device=gpu)", published.gpu);
  both("`hetero-default`, CPU first", "hetero-default(order=cpu.gpu)", published.openvino_cpu);
  both("`hetero-default`, GPU first", "hetero-default(order=gpu.cpu)", published.openvino_gpu);
  for (const char* spec : {"device-map", "m-topo", "etf", "m-etf", "m-sct", "min-cut", "scotch",
                           "greedy", "heft", "local-search", "sequential-cut"})
    both(fmt::format("`{}`", spec), spec);
  const std::string preset = hsdag({}, arguments.updates);
  const Trial sequential = run_trial(preset, setting.sequential, arguments.seeds);
  const Trial concurrent = run_trial(preset, setting.concurrent, arguments.seeds);
  // With seeds it does not train where a cut is proven optimal.
  const Trial unseeded =
      run_trial(hsdag({"seeds=false"}, arguments.updates), setting.sequential, arguments.seeds);
  for (const char* spec :
       {"random(samples=1000000)", "random(samples=1000000,unit=parsing)", "anneal(steps=1000000)"})
    print(fmt::format("`{}`, evaluations of `hsdag`", parse_spec(spec).values.size() > 1
                                                          ? "random(unit=parsing)"
                                                          : parse_spec(spec).name),
          run_trial(spec, setting.sequential, arguments.seeds, unseeded.evaluations()),
          run_trial(spec, setting.concurrent, arguments.seeds, concurrent.evaluations()), {});
  both("`hsdag(preset=paper)`", hsdag({"preset=paper"}, arguments.updates), published.hsdag);
  print("`hsdag(seeds=false)`", unseeded,
        run_trial(hsdag({"seeds=false"}, arguments.updates), setting.concurrent, arguments.seeds),
        {});
  print("`hsdag`", sequential, concurrent, published.hsdag);
}

void print_features(const std::vector<Setting>& settings, const Arguments& arguments) {
  head("**Table 3.** The paper's preset without parts of its features, sequential execution, ms",
       {"features", "network", "ours", "published"});
  struct Variant {
    const char* name;
    std::vector<std::string> keys;
    double Published::*published;
  };
  const std::vector<Variant> variants{
      {"no output shape", {"shape=false"}, &Published::without_shape},
      {"no node id", {"index=false"}, &Published::without_index},
      {"no fractal dimension, no degrees", {"structure=false"}, &Published::without_structure},
      {"all", {}, &Published::hsdag}};
  for (const Variant& variant : variants)
    for (const Setting& setting : settings) {
      std::vector<std::string> keys{"preset=paper"};
      keys.insert(keys.end(), variant.keys.begin(), variant.keys.end());
      const Trial trial =
          run_trial(hsdag(keys, arguments.updates), setting.sequential, arguments.seeds);
      row({variant.name, setting.network.name, value_text(trial),
           fmt::format("{}", setting.network.published.*variant.published)});
    }
}

void print_search_time(const std::vector<Setting>& settings, const Arguments& arguments) {
  // Without seeds, whose evaluations are cheap, so that the rate is that of the training.
  head("**Table 5.** Seconds of search, sequential execution, one run",
       {"network", "method", "seconds", "evaluations", "evaluations / s", "seconds for 2000",
        "published (2000)", "times faster"});
  for (const Setting& setting : settings)
    for (const char* preset : {"preset=paper", "seeds=false"}) {
      const std::string spec = hsdag({preset}, arguments.updates);
      const Trial trial = run_trial(spec, setting.sequential, 1);
      const double rate = static_cast<double>(trial.evaluations()) / trial.seconds();
      const double known = setting.network.published.search_seconds;
      row({setting.network.name, fmt::format("`{}`", spec), seconds_text(trial.seconds()),
           count_text(trial.evaluations()), fmt::format("{:.0f}", rate), seconds_text(2000 / rate),
           fmt::format("{}", known), fmt::format("{:.0f}", known * rate / 2000)});
    }
}

struct AblationRow {
  const char* name;
  std::vector<std::string> keys;
  bool main = false;  // also for the networks that get few rows
};

std::vector<AblationRow> ablation_rows() {
  const auto paper = [](const char* change) {
    return std::vector<std::string>{"preset=paper", change};
  };
  return {{"`paper`", {"preset=paper"}, true},
          {"`paper` + directed messages (9.1)", paper("directed=true")},
          {"`paper` + scaled features, any devices (9.2, 9.3)", paper("scaled=true")},
          {"`paper` + sampled groups (9.4)", paper("grouping=sampled")},
          {"`paper` + advantages (9.5)", {"preset=paper", "advantage=true", "entropy=0.01"}},
          {"`paper` + seeds (9.6)", {"preset=paper", "seeds=true", "imitation=200", "elite=16"}},
          {"`paper(all_levels=true)`", paper("all_levels=true")},
          {"`berth`", {}, true},
          {"`berth` - directed messages", {"directed=false"}},
          {"`berth` - scaled features", {"scaled=false"}},
          {"`berth` - sampled groups: dominant edges", {"grouping=dominant"}},
          {"`berth` - groups: co-location sets", {"grouping=none"}},
          {"`berth` - advantages", {"advantage=false"}},
          {"`berth` - seeds", {"seeds=false"}, true},
          {"`berth` - refinement", {"refine=0"}},
          {"`berth` - seeds - refinement", {"seeds=false", "refine=0"}, true},
          {"`berth` - replay", {"elite=0"}},
          {"`berth` with renewal", {"renewal=true"}}};
}

void print_ablation(const Setting& setting, const Arguments& arguments, bool all_rows) {
  for (const Problem* problem : {&setting.sequential, &setting.concurrent}) {
    // What is known before the rows, so that each row is printed when it is there.
    const Trial cut = run_trial("sequential-cut", *problem, 1);
    const Trial seed = run_trial("hsdag(updates=0,imitation=0)", *problem, arguments.seeds);
    const Trial long_search = run_trial("anneal(steps=300000)", *problem, 1);
    Duration best = kForever;
    for (const Trial* trial : {&cut, &seed, &long_search})
      for (const Result& result : trial->results) best = std::min(best, result.simulation->value);
    head(fmt::format("**Ablation, {}, {} execution, {} updates.** Best known before: {}",
                     setting.network.name, words_of(problem->model()).execution,
                     arguments.ablation_updates, time_text(best)),
         {"method", "ms", "evaluations", "until within 1 % of the best known", "seconds"});
    const auto print = [&](const std::string& name, const Trial& trial) {
      if (trial.empty()) return row({name, "none", "", "", ""});
      const std::optional<std::uint64_t> until = trial.evaluations_until(1.01 * best);
      const bool keeps_curve = !trial.results.front().curve.empty();
      row({name, value_text(trial), count_text(trial.evaluations()),
           until         ? count_text(*until)
           : keeps_curve ? "not reached"
                         : "",
           seconds_text(trial.seconds())});
    };
    print("`sequential-cut`", cut);
    print("best seed", seed);
    std::uint64_t fewest = ~std::uint64_t{0}, most = 0;
    for (const AblationRow& variant : ablation_rows()) {
      if (!all_rows && !variant.main) continue;
      const Trial trial =
          run_trial(hsdag(variant.keys, arguments.ablation_updates), *problem, arguments.seeds);
      print(variant.name, trial);
      if (trial.empty()) continue;
      fewest = std::min(fewest, trial.evaluations());
      most = std::max(most, trial.evaluations());
    }
    for (const std::uint64_t evaluations : {fewest, most})
      for (const char* spec : {"random(samples=1000000)", "anneal(steps=1000000)"})
        print(fmt::format("`{}`", parse_spec(spec).name),
              run_trial(spec, *problem, arguments.seeds, evaluations));
  }
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  const auto wanted = [&](const char* table) { return arguments.tables.contains(table); };
  if (!arguments.files.empty()) {
    fmt::print("berth {} ({}), seeds 1 to {}\n", version(), commit(), arguments.seeds);
    if (wanted("evaluations"))
      print_equal_evaluations(arguments.files, arguments.evaluations, arguments.seeds);
    if (wanted("seconds")) print_equal_seconds(arguments.files, arguments.seconds, arguments.seeds);
    return 0;
  }
  std::vector<Setting> settings;
  for (const Network& network : networks())
    if (arguments.network.empty() || arguments.network == network.name)
      settings.push_back(setting_of(network));
  if (settings.empty())
    throw Error(fmt::format("--network {}: unknown, expected {}, {} or {}", arguments.network,
                            networks()[0].name, networks()[1].name, networks()[2].name));
  fmt::print("berth {} ({}), seeds 1 to {}\n", version(), commit(), arguments.seeds);
  if (wanted("1")) print_sizes(settings);
  if (wanted("2"))
    for (const Setting& setting : settings) print_latency(setting, arguments);
  if (wanted("3")) print_features(settings, arguments);
  if (wanted("5")) print_search_time(settings, arguments);
  if (wanted("ablation"))
    for (const Setting& setting : settings)  // all rows for one network
      print_ablation(setting, arguments, &setting == &settings.front());
  if (wanted("local"))
    for (const Setting& setting : settings)
      print_local("zoo:" + setting.network.name, arguments.full ? std::nullopt : arguments.updates);
  return 0;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  try {
    return berth::bench::run(argc, argv);
  } catch (const berth::Error& error) {
    fmt::print(stderr, "bench_hsdag: {}\n", error.what());
    return 2;
  }
}
