#include "berth/io/execution_json.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/listed.h"

namespace berth {
namespace {

template <class Enum, std::size_t N>
Enum word_at(const JsonValue& value, const std::array<Enum, N>& known) {
  std::string words;
  for (const Enum candidate : known) {
    if (value.is_string() && value.text() == to_string(candidate)) return candidate;
    words += (words.empty() ? "" : ", ") + std::string(to_string(candidate));
  }
  value.expected("one of: " + words);
}

constexpr std::array kObjectives{Objective::kLatency, Objective::kThroughput};
constexpr std::array kOverlaps{Overlap::kSum, Overlap::kMax, Overlap::kDuplex};
constexpr std::array kSchedules{TrainingSchedule::k1F1B, TrainingSchedule::kGPipe};

constexpr std::int64_t kMostPieces = 1 << 20, kMostMicrobatches = 1024;

void read_field(const JsonValue& v, std::string_view, Duration& out) { out = v.microseconds(); }
void read_field(const JsonValue& v, std::string_view, Overlap& out) { out = word_at(v, kOverlaps); }
void read_field(const JsonValue& v, std::string_view, TrainingSchedule& out) {
  out = word_at(v, kSchedules);
}
void read_field(const JsonValue& v, std::string_view, bool& out) { out = v.boolean(); }
void read_field(const JsonValue& v, std::string_view name, int& out) {
  const std::int64_t most = name == "microbatches" ? kMostMicrobatches : kMostPieces;
  out = static_cast<int>(v.integer_between(1, most));
}
void read_field(const JsonValue& v, std::string_view name, double& out) {
  if (name == "contention") {
    out = v.number_between(0, 1);
    return;
  }
  out = v.number();
  if (out < 0) v.expected("a number of at least 0");
}

// The two words first: they say which fields there are.
ExecutionModel named_model(const JsonValue& value) {
  std::string execution = "concurrent";
  Objective objective = Objective::kLatency;
  const std::vector<std::string_view> words = execution_words();
  value.fields_among_others(
      optional("execution",
               [&](const JsonValue& v) {
                 if (v.is_string()) execution = v.text();
                 if (!v.is_string() ||
                     std::find(words.begin(), words.end(), execution) == words.end())
                   v.expected("one of: " + listed(words));
               }),
      optional("objective", [&](const JsonValue& v) { objective = word_at(v, kObjectives); }));
  try {
    return execution_named(execution, objective);
  } catch (const Error& error) {
    value.fail(error.what());
  }
}

void write_field(JsonWriter& json, std::string_view name, Duration value) {
  json.member(name, value.count());
}
void write_field(JsonWriter& json, std::string_view name, int value) {
  json.member(name, std::int64_t{value});
}
void write_field(JsonWriter& json, std::string_view name, bool value) { json.member(name, value); }
void write_field(JsonWriter& json, std::string_view name, double value) {
  json.member(name, value);
}
template <class Enum>
requires std::is_enum_v<Enum>
void write_field(JsonWriter& json, std::string_view name, Enum value) {
  json.member(name, to_string(value));
}

}  // namespace

ExecutionModel execution_from(const JsonValue& value) {
  ExecutionModel model = named_model(value);
  std::vector<std::string_view> seen;
  value.each_member([&](std::string_view key, const JsonValue& v) {
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      v.fail("is given twice, expected once");
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
      v.fail("means nothing for " + described(model) + ", expected one of: " + listed(names));
  });
  return model;
}

void write_execution(JsonWriter& json, const ExecutionModel& model) {
  const ExecutionWords words = words_of(model);
  json.open_object();
  json.member("execution", words.execution);
  json.member("objective", to_string(words.objective));
  const Execution plain = execution_named(words.execution, words.objective);
  visit_fields(model.execution, [&](std::string_view name, const auto& field) {
    Execution changed = plain;
    set_field(changed, name, field);
    if (changed != plain) write_field(json, name, field);
  });
  if (model.max_subgraphs != 0) json.member("max_subgraphs", std::int64_t{model.max_subgraphs});
  json.close_object();
}

}  // namespace berth
