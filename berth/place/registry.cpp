#include "berth/place/registry.h"

#include "berth/base/fail.h"
#include "berth/base/nearest_word.h"
#include "berth/place/context.h"

namespace berth {

const PlacerEntry& find_placer(const std::string& name) {
  std::vector<std::string> names;
  for (const PlacerEntry& entry : placers()) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  fail("there is no method '{}'; did you mean '{}'? (berth methods lists them)", name,
       nearest_word(name, names));
}

Method make_method(const std::string& text) {
  const Spec spec = parse_spec(text);
  const PlacerEntry& entry = find_placer(spec.name);
  return [&entry, run = entry.with_options(spec)](const Context& context) {
    if (const auto why_not = why_not_served(entry.name, entry.traits, context.problem))
      return context.incumbent.fail(*why_not);
    run(context);
  };
}

Outcome run_method(const Method& method, const std::string& name, const Problem& problem,
                   Budget& budget, const Rng& rng) {
  Incumbent incumbent(problem, budget, name);
  method(Context(problem, incumbent, budget, rng));
  return incumbent.outcome();
}

Outcome run_method(const std::string& spec, const Problem& problem, Budget& budget,
                   const Rng& rng) {
  return run_method(make_method(spec), parse_spec(spec).name, problem, budget, rng);
}

}  // namespace berth
