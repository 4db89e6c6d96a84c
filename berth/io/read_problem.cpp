#include "berth/io/read_problem.h"

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"
#include "berth/cost/change_cluster.h"
#include "berth/io/dnn_partitioning.h"
#include "berth/io/doppler.h"
#include "berth/io/files.h"
#include "berth/io/json_value.h"
#include "berth/io/moirai.h"
#include "berth/io/pipedream.h"
#include "berth/io/problem_json.h"
#include "berth/io/text_lines.h"

namespace berth {

namespace {

bool starts_as_json(std::string_view text) {
  text = trimmed(text);
  return text.starts_with('{') || text.starts_with('[');
}

InputFormat json_format(const JsonValue& root) {
  if (!root.is_object()) root.expected("an object, as in every problem file");
  if (root.has("berth_problem")) return InputFormat::kBerth;
  if (root.has("maxFPGAs")) return InputFormat::kDnnPartitioning;
  if (root.has("device_memory")) return InputFormat::kMoirai;
  const char* what = root.has("placement") || root.has("cpus") ? "looks like a placement"
                     : root.has("pin") || root.has("forbid")   ? "looks like constraints"
                     : root.has("devices")                     ? "looks like a devices file"
                                                               : "is JSON, but not a problem";
  throw Error(
      fmt::format("{}: {}, expected a field berth_problem (berth), maxFPGAs "
                  "(dnn-partitioning) or device_memory (moirai)",
                  root.file(), what));
}

InputFormat text_format(std::string_view text, const std::string& file) {
  TextLines lines(text, file);
  const std::string_view first = trimmed(lines.next_filled().value_or(""));
  if (first.empty()) throw Error(file + ": is empty, expected a problem");
  if (first.starts_with("node") && first.find(" -- ") != std::string_view::npos)
    return InputFormat::kPipedream;
  if (first.find_first_not_of("0123456789") == std::string_view::npos) return InputFormat::kDoppler;
  throw Error(
      fmt::format("{}: line {} is {}, expected a problem: JSON (berth, dnn-partitioning, "
                  "moirai), \"nodeN -- ...\" (pipedream) or a vertex count (Doppler)",
                  file, lines.number(), in_quotes(first)));
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

// `owner` holds the text, if anybody does: it is emptied once the text has been taken apart.
Problem parse_any(std::string_view text, std::string* owner, const std::string& file,
                  const ReadOptions& options) {
  const std::string name = std::filesystem::path(file).stem().string();
  if (!starts_as_json(text)) {
    return text_format(text, file) == InputFormat::kPipedream
               ? parse_pipedream(text, file, name, options)
               : parse_doppler(text, file, name, options);
  }
  const JsonDocument document(text, file);
  if (owner != nullptr) std::string().swap(*owner);
  const JsonValue root = document.root();
  switch (json_format(root)) {
    case InputFormat::kDnnPartitioning:
      return dnn_partitioning_problem(root, name, options);
    case InputFormat::kMoirai:
      return moirai_problem(root, name, options);
    default:
      return berth_problem(root, name, options);
  }
}

Problem with_options(const Problem& problem, const ReadOptions& options) {
  return options.ignore_memory ? problem.with_cluster(without_limits(problem.cluster())) : problem;
}

}  // namespace

InputFormat detect_format(std::string_view text, const std::string& file_name) {
  text = without_mark(text);
  if (!starts_as_json(text)) return text_format(text, file_name);
  const JsonDocument document(text, file_name);
  return json_format(document.root());
}

Problem parse_problem(std::string_view text, const std::string& file_name,
                      const ReadOptions& options) {
  return with_options(parse_any(without_mark(text), nullptr, file_name, options), options);
}

Problem read_problem(const std::filesystem::path& path, const ReadOptions& options) {
  std::string text = read_text_file(path);
  return with_options(parse_any(without_mark(text), &text, path.string(), options), options);
}

const char* to_string(InputFormat format) {
  switch (format) {
    case InputFormat::kBerth:
      return "berth";
    case InputFormat::kDnnPartitioning:
      return "dnn-partitioning";
    case InputFormat::kMoirai:
      return "moirai";
    case InputFormat::kPipedream:
      return "pipedream";
    case InputFormat::kDoppler:
      return "doppler";
  }
  return "?";
}

}  // namespace berth
