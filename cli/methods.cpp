// berth methods: the registry, and the options of one method.

#include <memory>

#include <fmt/format.h>

#include "berth/io/json_writer.h"
#include "berth/place/registry.h"
#include "berth/report/table.h"
#include "cli/commands.h"

namespace berth {
namespace {

struct MethodsOptions {
  std::string name;
  bool json = false;
};

void write_method(JsonWriter& json, const PlacerEntry& entry) {
  json.line(1);
  json.open_object();
  json.member("name", entry.name);
  json.member("summary", entry.summary);
  json.key("options");
  json.open_array();
  for (const OptionHelp& option : entry.options()) {
    json.line(2);
    json.open_object();
    json.member("key", option.key);
    json.member("default", option.value);
    json.member("meaning", option.meaning);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void print_json(const std::string& name) {
  JsonWriter json;
  json.open_object();
  json.key("methods");
  json.open_array();
  if (!name.empty()) write_method(json, find_placer(name));
  for (const PlacerEntry& entry : placers())
    if (name.empty()) write_method(json, entry);
  json.close_array();
  json.close_object();
  fmt::print("{}", std::move(json).finish());
}

void print_method(const PlacerEntry& entry) {
  fmt::print("{}: {}\n", entry.name, entry.summary);
  const std::vector<OptionHelp> options = entry.options();
  if (options.empty()) {
    fmt::print("\nno options\n");
    return;
  }
  Table table({{"option"}, {"default"}, {"meaning"}});
  for (const OptionHelp& option : options)
    table.add_row({option.key, option.value, option.meaning});
  fmt::print("\n{}\nused as --method '{}({}={})'\n", table.text(), entry.name, options.front().key,
             options.front().value);
}

int methods(const MethodsOptions& options) {
  if (options.json) {
    print_json(options.name);
    return kDone;
  }
  if (!options.name.empty()) {
    print_method(find_placer(options.name));
    return kDone;
  }
  Table table({{"method"}, {"what it does"}, {"options"}});
  for (const PlacerEntry& entry : placers()) {
    std::vector<std::string> keys;
    for (const OptionHelp& option : entry.options()) keys.push_back(option.key);
    table.add_row({entry.name, entry.summary, fmt::format("{}", fmt::join(keys, " "))});
  }
  fmt::print("{}\nberth methods NAME explains the options of one.\n", table.text());
  return kDone;
}

}  // namespace

void add_methods(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<MethodsOptions>();
  CLI::App& verb = *app.add_subcommand("methods", "the ways to search, and their options");
  verb.add_option("NAME", options->name, "only this method, with its options")->type_name("");
  verb.add_flag("--json", options->json, "print one JSON object");
  verb.callback([options, &chosen] { chosen = [options] { return methods(*options); }; });
}

}  // namespace berth
