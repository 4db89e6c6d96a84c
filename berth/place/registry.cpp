#include "berth/place/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"
#include "berth/place/heuristic/local_search.h"

namespace berth {
namespace {

// clang-format off
const std::array kPlacers{
    placer_entry<LocalSearch>("local-search", "moves and swaps of single units to a local optimum"),
};
// clang-format on

}  // namespace

std::span<const PlacerEntry> placers() { return kPlacers; }

const PlacerEntry& find_placer(const std::string& name) {
  std::vector<std::string> names;
  for (const PlacerEntry& entry : placers()) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(fmt::format("there is no method '{}'; did you mean '{}'? (berth methods lists them)", name,
                          nearest_word(name, names)));
}

std::unique_ptr<Placer> make_placer(const std::string& text) {
  const Spec spec = parse_spec(text);
  return find_placer(spec.name).make(spec);
}

}  // namespace berth
