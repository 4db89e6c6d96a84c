// Options of an algorithm as text: "hsdag(hidden=128,seed=7)" and back.
//
// An options struct lists its fields once, in visit(); parsing a spec, printing it, and explaining
// it in `berth methods` all follow from that list:
//
//   struct RandomOptions {
//     int samples = 2000;  // placements to draw
//     void visit(auto& v) { v("samples", samples, "placements to draw"); }
//   };
//
// Fields may be int, double, bool, std::string, or an enum with an OptionNames specialisation. A
// value may itself be a spec ("local-search(start=heft(insertion=false))"): commas inside brackets
// do not split.
#pragma once

#include "berth/base/enum_words.h"
#include "berth/base/listed.h"

namespace berth {

struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // as written

  friend bool operator==(const Spec&, const Spec&) = default;
};

// "name", "name()" or "name(key=value,...)". Throws Error with the place of the mistake.
Spec parse_spec(std::string_view text);
// Splits "a,b(c=d,e=f),g" at the commas outside brackets.
std::vector<std::string> split_specs(std::string_view text);

struct OptionHelp {
  std::string key, value, meaning;  // value: the default, as text
};

namespace option_text {
void read(const std::string& where, const std::string& text, int& out);
void read(const std::string& where, const std::string& text, double& out);
void read(const std::string& where, const std::string& text, bool& out);
void read(const std::string& where, const std::string& text, std::string& out);
[[noreturn]] void reject_word(const std::string& where, const std::string& text,
                              const std::vector<std::string>& words);
std::string write(int value);
std::string write(double value);
std::string write(bool value);
std::string write(const std::string& value);

template <HasWords E>
void read(const std::string& where, const std::string& text, E& out) {
  const std::optional<E> value = enum_value<E>(text);
  if (!value) reject_word(where, text, enum_words<E>());
  out = *value;
}
template <HasWords E>
std::string write(E value) {
  return to_string(value);
}
}  // namespace option_text

[[noreturn]] void reject_option(const Spec& spec, const std::string& key,
                                const std::vector<OptionHelp>& known);

template <class Options>
std::vector<OptionHelp> explain_options() {
  Options defaults;
  std::vector<OptionHelp> help;
  auto visitor = [&](const char* key, auto& field, const char* meaning) {
    help.push_back({key, option_text::write(field), meaning});
  };
  defaults.visit(visitor);
  return help;
}

// Throws Error on an unknown key or a value of the wrong kind, naming what was expected.
template <class Options>
Options read_options(const Spec& spec) {
  Options options;
  for (const auto& given : spec.values) {  // no binding: clang 14 cannot capture one
    const std::string& given_key = given.first;
    const std::string& text = given.second;
    bool known = false;
    auto visitor = [&](const char* key, auto& field, const char*) {
      if (given_key != key) return;
      known = true;
      option_text::read(spec.name + "(" + given_key + "=...)", text, field);
    };
    options.visit(visitor);
    if (!known) reject_option(spec, given_key, explain_options<Options>());
  }
  return options;
}

// The canonical spec: only what differs from the defaults, in declaration order. Options with
// presets say with understood() what a spec that names its preset need not repeat.
template <class Options>
std::string write_options(const std::string& name, Options options) {
  std::vector<std::string> defaults, parts;
  Options plain;
  if constexpr (requires { options.understood(); }) plain = options.understood();
  auto collect = [&](const char*, auto& field, const char*) {
    defaults.push_back(option_text::write(field));
  };
  plain.visit(collect);
  std::size_t at = 0;
  auto compare = [&](const char* key, auto& field, const char*) {
    const std::string text = option_text::write(field);
    if (text != defaults[at++]) parts.push_back(std::string(key) + "=" + text);
  };
  options.visit(compare);
  return name + "(" + listed(parts, ",") + ")";
}

struct NoOptions {
  void visit(auto&) {}
};

}  // namespace berth
