// berth methods: the registry, and the options of one method.

#include "berth/place/registry.h"
#include "cli/commands.h"
#include "cli/option_help.h"

namespace berth {
namespace {

struct MethodsOptions {
  std::string name;
  bool json = false;
};

std::string as_json(const std::string& name) {
  const auto entries = name.empty() ? placers() : std::span(&find_placer(name), 1);
  return json_object([&](JsonWriter& json) {
    json.objects("methods", entries, 1, [&](const PlacerEntry& entry) {
      json.member("name", entry.name);
      json.member("summary", entry.summary);
      write_option_help(json, entry.options());
    });
  });
}

void print_method(const PlacerEntry& entry) {
  fmt::print("{}: {}\n", entry.name, entry.summary);
  const std::vector<OptionHelp> options = entry.options();
  if (options.empty()) return fmt::print("\nno options\n");
  fmt::print("\n{}\nused as --method '{}({}={})'\n", option_table(options), entry.name,
             options.front().key, options.front().value);
}

void print_all() {
  Table table({"method", "what it does", "options"});
  for (const PlacerEntry& entry : placers()) {
    std::vector<std::string> keys;
    for (const OptionHelp& option : entry.options()) keys.push_back(option.key);
    table.add_row({entry.name, entry.summary, listed(keys, " ")});
  }
  fmt::print("{}\nberth methods NAME explains the options of one.\n", table.text());
}

int methods(const MethodsOptions& options) {
  if (options.json)
    fmt::print("{}", as_json(options.name));
  else if (!options.name.empty())
    print_method(find_placer(options.name));
  else
    print_all();
  return kDone;
}

}  // namespace

void add_methods(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "methods", "the ways to search, and their options", methods);
  option(verb, "NAME", options.name, "only this method, with its options", "");
  verb.add_flag("--json", options.json, "print one JSON object");
}

}  // namespace berth
