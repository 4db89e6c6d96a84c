// The table of methods, one line each in methods.cpp.
//
// A method is an options struct (options.h) and a function over a context (context.h):
//
//   struct HeftOptions { bool insertion = true; void visit(auto& v); };
//   void heft(const Context& context, const HeftOptions& options);
//
// Options may have a check(), which throws Error for values that mean nothing. To add a method: a
// {h,cpp} pair, a line in the table, a line in the CMake source list, a row in docs/methods.md.
// Tests find it through placers().
#pragma once

#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "berth/base/options.h"
#include "berth/place/traits.h"
#include "berth/search/outcome.h"

namespace berth {

class Budget;
class Rng;
struct Context;

// A method with its options set.
using Method = std::function<void(const Context&)>;

struct PlacerEntry {
  const char* name;
  const char* summary;
  Traits traits;
  Method (*with_options)(const Spec&);
  std::string (*canonical)(const Spec&);
  std::vector<OptionHelp> (*options)();
};

template <class Options>
Options checked_options(const Spec& spec) {
  Options options = read_options<Options>(spec);
  if constexpr (requires { options.check(); }) options.check();
  return options;
}

template <class Options, void (*run)(const Context&, const Options&)>
constexpr PlacerEntry entry_of(const char* name, const char* summary, Traits traits) {
  return {name,
          summary,
          traits,
          [](const Spec& spec) -> Method {
            return [options = checked_options<Options>(spec)](const Context& context) {
              run(context, options);
            };
          },
          [](const Spec& spec) { return write_options(spec.name, read_options<Options>(spec)); },
          explain_options<Options>};
}

// The options struct is the second parameter of the function.
template <auto run>
struct MethodOf;
template <class Options, void (*run)(const Context&, const Options&)>
struct MethodOf<run> {
  static constexpr PlacerEntry entry(const char* name, const char* summary, Traits traits) {
    return entry_of<Options, run>(name, summary, traits);
  }
};
template <auto run>
constexpr PlacerEntry method(const char* name, const char* summary, Traits traits = {}) {
  return MethodOf<run>::entry(name, summary, traits);
}

std::span<const PlacerEntry> placers();

// Throws Error for an unknown name, with the nearest known one.
const PlacerEntry& find_placer(const std::string& name);
// Throws Error for a mistake in the spec. Of a problem that the method does not serve (traits.h) it
// only says so.
Method make_method(const std::string& spec);

// What a method says of a problem, on its own: with an incumbent that nobody shares.
Outcome run_method(const Method& method, const std::string& name, const Problem& problem,
                   Budget& budget, const Rng& rng);
Outcome run_method(const std::string& spec, const Problem& problem, Budget& budget, const Rng& rng);

}  // namespace berth
