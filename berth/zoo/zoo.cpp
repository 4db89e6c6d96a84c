#include "berth/zoo/zoo.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/error.h"
#include "berth/base/nearest_word.h"
#include "berth/zoo/amoebanet.h"
#include "berth/zoo/bert_base.h"
#include "berth/zoo/gnmt.h"
#include "berth/zoo/inception_v3.h"
#include "berth/zoo/nmt.h"
#include "berth/zoo/resnet_50.h"
#include "berth/zoo/rnnlm.h"
#include "berth/zoo/transformer_xl.h"
#include "berth/zoo/wavenet.h"

namespace berth {
namespace {

constexpr std::string_view kPrefix = "zoo:";
constexpr int kLargestParameter = 1 << 24;

struct Entry {
  const char* name;
  const char* summary;
  std::vector<OptionHelp> (*options)();
  BuiltNetwork (*build)(const Spec& spec, bool values);
};

// Every parameter of a network is a count.
template <class Options>
void check_counts(const std::string& name, Options options) {
  auto check = [&](const char* key, int& value, const char*) {
    if (value < 1 || value > kLargestParameter)
      throw Error(fmt::format("zoo:{}({}={}): expected a number from 1 to {}", name, key, value,
                              kLargestParameter));
  };
  options.visit(check);
}

template <class Options, std::shared_ptr<ov::Model> (*make)(const Options&, bool)>
constexpr Entry entry(const char* name, const char* summary) {
  return {name, summary, explain_options<Options>, [](const Spec& spec, bool values) {
            const Options options = read_options<Options>(spec);
            check_counts(spec.name, options);
            std::string written = write_options(spec.name, options);
            if (written.ends_with("()")) written.resize(written.size() - 2);
            return BuiltNetwork{written, make(options, values)};
          }};
}

constexpr std::array kNetworks{
    entry<zoo::Resnet50Options, zoo::resnet_50>("resnet-50", "images: residual blocks"),
    entry<zoo::InceptionV3Options, zoo::inception_v3>("inception-v3", "images: parallel branches"),
    entry<zoo::BertBaseOptions, zoo::bert_base>("bert-base", "language: transformer encoder"),
    entry<zoo::RnnlmOptions, zoo::rnnlm>("rnnlm", "language: unrolled LSTM layers"),
    entry<zoo::GnmtOptions, zoo::gnmt>("gnmt", "translation: deep unrolled LSTMs with attention"),
    entry<zoo::TransformerXlOptions, zoo::transformer_xl>(
        "transformer-xl", "language: attention over segments, relative positions"),
    entry<zoo::AmoebanetOptions, zoo::amoebanet>("amoebanet", "images: evolved cells"),
    entry<zoo::WavenetOptions, zoo::wavenet>("wavenet", "sound: dilated causal convolutions"),
    entry<zoo::NmtOptions, zoo::nmt>("nmt", "translation: unrolled LSTMs with attention"),
};

const Entry& find_network(const std::string& name) {
  for (const Entry& entry : kNetworks)
    if (name == entry.name) return entry;
  std::vector<std::string> names;
  for (const Entry& entry : kNetworks) names.emplace_back(entry.name);
  const std::optional<std::string> near = similar_word(name, names);
  if (near) throw Error(fmt::format("zoo:{}: no such network; did you mean {}?", name, *near));
  throw Error(fmt::format("zoo:{}: no such network; there are {}", name, fmt::join(names, ", ")));
}

std::vector<std::string> keys_of(const Entry& entry) {
  std::vector<std::string> keys;
  for (const OptionHelp& option : entry.options()) keys.push_back(option.key);
  return keys;
}

}  // namespace

std::vector<ZooNetwork> zoo_networks() {
  std::vector<ZooNetwork> networks;
  for (const Entry& entry : kNetworks)
    networks.push_back({entry.name, entry.summary, entry.options()});
  return networks;
}

bool is_zoo_spec(const std::string& spec) { return spec.starts_with(kPrefix); }

BuiltNetwork build_network(const ModelSource& source) {
  Spec spec = parse_spec(source.spec.substr(kPrefix.size()));
  const Entry& entry = find_network(spec.name);
  if (!source.shapes.empty())
    throw Error(fmt::format("{}: has no open shapes, expected parameters instead of --shape: {}",
                            source.spec, fmt::join(keys_of(entry), ", ")));
  if (source.batch) {
    std::erase_if(spec.values, [](const auto& value) { return value.first == "batch"; });
    spec.values.emplace_back("batch", std::to_string(*source.batch));
  }
  return entry.build(spec, source.values);
}

}  // namespace berth
