// What a file of the zoo gives to the table of zoo.cpp: the name of a network, its parameters, and
// how it is built from them.
//
// A network is one source without a header: a struct of options, a function that builds the model
// with them, and, named after the file, the line that joins both.
#pragma once

#include "berth/base/options.h"
#include "berth/zoo/network_builder.h"
#include "berth/zoo/zoo.h"

namespace berth::zoo {

struct Network {
  const char* name;
  const char* summary;
  std::vector<OptionHelp> (*options)();
  BuiltNetwork (*build)(const Spec& spec, bool values);
};

// Every parameter of a network is a count.
void check_count(const std::string& network, const char* key, int value);

template <class Options, std::shared_ptr<ov::Model> (*build)(NetworkBuilder&, const Options&)>
Network network(const char* name, const char* summary) {
  return {name, summary, explain_options<Options>, [](const Spec& spec, bool values) {
            Options options = read_options<Options>(spec);
            auto check = [&](const char* key, int& value, const char*) {
              check_count(spec.name, key, value);
            };
            options.visit(check);
            std::string written = write_options(spec.name, options);
            if (written.ends_with("()")) written.resize(written.size() - 2);
            NetworkBuilder net(spec.name, values);
            return BuiltNetwork{written, build(net, options)};
          }};
}

Network amoebanet();
Network bert_base();
Network gnmt();
Network inception_v3();
Network nmt();
Network resnet_50();
Network rnnlm();
Network transformer_xl();
Network wavenet();

}  // namespace berth::zoo
