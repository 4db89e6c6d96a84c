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

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

// The words of an enum: specialise with  static constexpr std::array<std::pair<const char*, E>, N>
// values. The first fitting word is used for printing.
template <class E>
struct OptionNames;

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

template <class E>
requires std::is_enum_v<E>
void read(const std::string& where, const std::string& text, E& out) {
  std::vector<std::string> words;
  for (const auto& [word, value] : OptionNames<E>::values) {
    if (text == word) {
      out = value;
      return;
    }
    words.emplace_back(word);
  }
  reject_word(where, text, words);
}

template <class E>
requires std::is_enum_v<E> std::string write(E value) {
  for (const auto& [word, candidate] : OptionNames<E>::values)
    if (candidate == value) return word;
  return "?";
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
  std::string result = name + "(";
  for (std::size_t i = 0; i < parts.size(); ++i) result += (i == 0 ? "" : ",") + parts[i];
  return result + ")";
}

struct NoOptions {
  void visit(auto&) {}
};

}  // namespace berth
