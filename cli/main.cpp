// berth: decides which device runs each operator of a neural network.
//
// Parses the command line, runs the chosen verb, and turns what it throws into an exit code and one
// line on standard error.

#include <cstdio>
#include <exception>
#include <new>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"
#include "cli/commands.h"

namespace berth {
namespace {

int fail(int code, const std::string& message) {
  std::string line = message;  // one line, whatever a third party put into its message
  for (char& c : line)
    if (c == '\n') c = ' ';
  fmt::print(stderr, "berth: {}\n", line);
  return code;
}

std::shared_ptr<CLI::Formatter> formatter(std::size_t column_width) {
  auto result = std::make_shared<CLI::Formatter>();
  result->column_width(column_width);
  result->label("SUBCOMMAND", "VERB");
  result->label("REQUIRED", "");
  result->label("Positionals", "Arguments");
  return result;
}

void configure(CLI::App& app, Action& chosen) {
  app.name("berth");
  app.set_version_flag("--version", version_text, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(0, 1);
  for (AddVerb* const add : {add_import, add_profile, add_place, add_simulate, add_run, add_compare,
                             add_zoo, add_methods, add_doctor})
    add(app, chosen);
  for (CLI::App* verb : app.get_subcommands({})) {
    verb->group("Verbs");
    verb->formatter(formatter(34));
  }
  app.formatter(formatter(14));
  app.footer(
      "First steps:\n"
      "  berth place zoo:inception-v3 --devices cpu+gpu\n"
      "  berth place model.onnx -o placement.json\n"
      "  berth simulate model.onnx placement.json --trace timeline.json\n"
      "  berth compare problem.json --methods heft,anneal\n\n"
      "berth VERB --help explains one verb. Exit codes: 0 done, 1 nothing feasible,\n"
      "2 a mistake in a file or option, 3 an internal error.");
}

// The option or verb that a mistyped word may have meant.
std::optional<std::string> meant(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App* verb : app.get_subcommands({})) known.push_back(verb->get_name());
  }
  return similar_word(word.substr(0, word.find('=')), known);
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

int fail_to_parse(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = chosen_verb(app);
  const std::string name = &verb == &app ? "" : verb.get_name() + ": ";
  std::string message = error.what();
  const std::vector<std::string> unknown = verb.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty()) {
    const bool is_option = unknown.front().starts_with("-");
    const bool is_verb = !is_option && &verb == &app;
    message = fmt::format("unknown {} '{}'",
                          is_option ? "option"
                          : is_verb ? "verb"
                                    : "argument",
                          unknown.front());
    if (const auto near = is_option || is_verb ? meant(verb, unknown.front()) : std::nullopt)
      message += fmt::format("; did you mean {}?", *near);
  }
  return fail(kUserError, fmt::format("{}{} (see berth {}--help)", name, message,
                                      &verb == &app ? "" : verb.get_name() + " "));
}

int run(int argc, char** argv) {
  CLI::App app("berth decides which device runs each operator of a neural network.");
  Action chosen;
  configure(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // help or version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail_to_parse(app, error);
  }
  if (!chosen) return fail(kUserError, "no verb given (see berth --help)");
  const int code = chosen();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("standard output: cannot be written");
  return code;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  try {
    return berth::run(argc, argv);
  } catch (const berth::Error& error) {
    return berth::fail(berth::kUserError, error.what());
  } catch (const std::bad_alloc&) {
    return berth::fail(berth::kInternalError, "out of memory");
  } catch (const std::exception& error) {
    return berth::fail(berth::kInternalError, fmt::format("internal error: {}", error.what()));
  }
}
