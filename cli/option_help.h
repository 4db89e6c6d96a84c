// The options of a method or a network, for people and for scripts.
#pragma once

#include "berth/base/options.h"
#include "berth/io/json_writer.h"
#include "berth/report/table.h"

namespace berth {

inline std::string option_table(const std::vector<OptionHelp>& options) {
  Table table({"option", "default", "meaning"});
  for (const OptionHelp& option : options)
    table.add_row({option.key, option.value, option.meaning});
  return table.text();
}

inline void write_option_help(JsonWriter& json, const std::vector<OptionHelp>& options) {
  json.objects("options", options, 2, [&](const OptionHelp& option) {
    json.member("key", option.key);
    json.member("default", option.value);
    json.member("meaning", option.meaning);
  });
}

}  // namespace berth
