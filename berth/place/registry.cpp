#include "berth/place/registry.h"

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"

namespace berth {

const PlacerEntry& find_placer(const std::string& name) {
  std::vector<std::string> names;
  for (const PlacerEntry& entry : placers()) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(fmt::format("there is no method '{}'; did you mean '{}'? (berth methods lists them)",
                          name, nearest_word(name, names)));
}

std::unique_ptr<Placer> make_placer(const std::string& text) {
  const Spec spec = parse_spec(text);
  return find_placer(spec.name).make(spec);
}

}  // namespace berth
