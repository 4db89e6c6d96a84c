// The table of algorithms, one line each in methods.cpp.
//
// A placer is a class with a nested `Options` struct (options.h) and a constructor from it; one
// that makes no sense without an option declares kNeedsOptions. To add one: a {h,cpp} pair, a line
// in the table, a line in the CMake source list, a row in docs/methods.md. Tests find it through
// placers().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/options.h"
#include "berth/place/placer.h"

namespace berth {

struct PlacerEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Placer> (*make)(const Spec&);
  std::string (*canonical)(const Spec&);
  std::vector<OptionHelp> (*options)();
  bool needs_options;  // cannot run by its name alone; tables of all methods leave it out
  bool learned;        // trains a network: takes a moment even on the smallest problem
};

template <class T>
constexpr PlacerEntry placer_entry(const char* name, const char* summary) {
  using Options = typename T::Options;
  return {name, summary,
          [](const Spec& spec) -> std::unique_ptr<Placer> {
            return std::make_unique<T>(read_options<Options>(spec));
          },
          [](const Spec& spec) { return write_options(spec.name, read_options<Options>(spec)); },
          []() { return explain_options<Options>(); }, requires {T::kNeedsOptions;
}
, requires { T::kLearned; }
};  // namespace berth
}

std::span<const PlacerEntry> placers();

// Throws Error for an unknown name, with the nearest known one.
const PlacerEntry& find_placer(const std::string& name);
std::unique_ptr<Placer> make_placer(const std::string& spec);

}  // namespace berth
