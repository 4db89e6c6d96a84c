#include "berth/io/execution_json.h"

namespace berth {
namespace {

constexpr std::int64_t kMostPieces = 1 << 20, kMostMicrobatches = 1024;

void read_field(const JsonValue& v, std::string_view, Duration& out) { out = v.microseconds(); }
void read_field(const JsonValue& v, std::string_view, bool& out) { out = v.boolean(); }
void read_field(const JsonValue& v, std::string_view name, int& out) {
  const std::int64_t most = name == "microbatches" ? kMostMicrobatches : kMostPieces;
  out = static_cast<int>(v.integer_between(1, most));
}
void read_field(const JsonValue& v, std::string_view name, double& out) {
  out = name == "contention" ? v.number_between(0, 1) : v.number();
  if (out < 0) v.expected("a number of at least 0");
}
template <HasWords Enum>
void read_field(const JsonValue& v, std::string_view, Enum& out) {
  const auto value = v.is_string() ? enum_value<Enum>(v.text()) : std::nullopt;
  if (!value) v.expected("one of: {}", listed(enum_words<Enum>()));
  out = *value;
}

// The two words first: they say which fields there are.
ExecutionModel named_model(const JsonValue& value) {
  std::string execution = "concurrent";
  Objective objective = Objective::kLatency;
  const std::vector<std::string> words = execution_words();
  value.fields_among_others(
      optional("execution",
               [&](const JsonValue& v) {
                 if (v.is_string()) execution = v.text();
                 if (!v.is_string() || std::ranges::find(words, execution) == words.end())
                   v.expected("one of: {}", listed(words));
               }),
      optional("objective", [&](const JsonValue& v) { read_field(v, "", objective); }));
  try {
    return execution_named(execution, objective);
  } catch (const Error& error) {
    value.fail("{}", error.what());
  }
}

template <class Value>
void write_field(JsonWriter& json, std::string_view name, const Value& value) {
  if constexpr (HasWords<Value>)
    json.member(name, to_string(value));
  else if constexpr (std::is_same_v<Value, Duration>)
    json.member(name, value.count());
  else
    json.member(name, value);
}

}  // namespace

ExecutionModel execution_from(const JsonValue& value) {
  ExecutionModel model = named_model(value);
  std::vector<std::string_view> seen;
  value.each_member([&](std::string_view key, const JsonValue& v) {
    if (std::ranges::find(seen, key) != seen.end()) v.fail("is given twice, expected once");
    seen.push_back(key);
    if (key == "execution" || key == "objective") return;
    if (key == "max_subgraphs") {
      model.max_subgraphs = static_cast<int>(v.integer_between(0, 1 << 30));
      return;
    }
    bool known = false;
    std::vector<std::string_view> names{"execution", "objective", "max_subgraphs"};
    visit_fields(model.execution, [&](std::string_view name, auto& field) {
      names.emplace_back(name);
      if (name != key) return;
      read_field(v, name, field);
      known = true;
    });
    if (!known)
      v.fail("means nothing for {}", described(model) + ", expected one of: " + listed(names));
  });
  return model;
}

void write_execution(JsonWriter& json, const ExecutionModel& model) {
  const ExecutionWords words = words_of(model);
  json.member("execution", words.execution);
  json.member("objective", to_string(words.objective));
  const Execution plain = execution_named(words.execution, words.objective);
  visit_fields(model.execution, [&](std::string_view name, const auto& field) {
    Execution changed = plain;
    set_field(changed, name, field);
    if (changed != plain) write_field(json, name, field);
  });
  json.member_unless("max_subgraphs", model.max_subgraphs, 0);
}

}  // namespace berth
