#include "berth/zoo/zoo.h"

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/listed.h"
#include "berth/base/nearest_word.h"
#include "berth/zoo/network.h"

namespace berth {
namespace {

constexpr std::string_view kPrefix = "zoo:";
constexpr int kLargestParameter = 1 << 24;

std::vector<zoo::Network> networks() {
  return {zoo::resnet_50(),      zoo::inception_v3(), zoo::bert_base(), zoo::rnnlm(), zoo::gnmt(),
          zoo::transformer_xl(), zoo::amoebanet(),    zoo::wavenet(),   zoo::nmt()};
}

zoo::Network find_network(const std::string& name) {
  std::vector<std::string> names;
  for (const zoo::Network& network : networks()) {
    if (name == network.name) return network;
    names.emplace_back(network.name);
  }
  const std::optional<std::string> near = similar_word(name, names);
  throw Error(fmt::format(
      "zoo:{}: no such network; {}", name,
      near ? fmt::format("did you mean {}?", *near) : fmt::format("there are {}", listed(names))));
}

}  // namespace

void zoo::check_count(const std::string& network, const char* key, int value) {
  if (value < 1 || value > kLargestParameter)
    throw Error(fmt::format("zoo:{}({}={}): expected a number from 1 to {}", network, key, value,
                            kLargestParameter));
}

std::vector<ZooNetwork> zoo_networks() {
  std::vector<ZooNetwork> all;
  for (const zoo::Network& network : networks())
    all.push_back({network.name, network.summary, network.options()});
  return all;
}

bool is_zoo_spec(const std::string& spec) { return spec.starts_with(kPrefix); }

BuiltNetwork build_network(const ModelSource& source) {
  Spec spec = parse_spec(source.spec.substr(kPrefix.size()));
  const zoo::Network network = find_network(spec.name);
  if (!source.shapes.empty()) {
    std::vector<std::string> keys;
    for (const OptionHelp& option : network.options()) keys.push_back(option.key);
    throw Error(fmt::format("{}: has no open shapes, expected parameters instead of --shape: {}",
                            source.spec, listed(keys)));
  }
  if (source.batch) {
    std::erase_if(spec.values, [](const auto& value) { return value.first == "batch"; });
    spec.values.emplace_back("batch", std::to_string(*source.batch));
  }
  return network.build(spec, source.values);
}

}  // namespace berth
