#include "berth/io/read_problem.h"

#include "berth/cost/change_cluster.h"
#include "berth/io/dnn_partitioning.h"
#include "berth/io/doppler.h"
#include "berth/io/files.h"
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

using JsonReader = Problem (*)(const JsonValue&, const std::string& name, const ReadOptions&);
using TextReader = Problem (*)(std::string_view text, const std::string& file,
                               const std::string& name, const ReadOptions&);

JsonReader json_reader(const JsonValue& root) {
  if (!root.is_object()) root.expected("an object, as in every problem file");
  if (root.has("berth_problem")) return berth_problem;
  if (root.has("maxFPGAs")) return dnn_partitioning_problem;
  if (root.has("device_memory")) return moirai_problem;
  const char* what = root.has("placement") || root.has("cpus") ? "looks like a placement"
                     : root.has("pin") || root.has("forbid")   ? "looks like constraints"
                     : root.has("devices")                     ? "looks like a devices file"
                                                               : "is JSON, but not a problem";
  fail(
      "{}: {}, expected a field berth_problem (berth), maxFPGAs (dnn-partitioning) or "
      "device_memory (moirai)",
      root.file(), what);
}

TextReader text_reader(std::string_view text, const std::string& file) {
  TextLines lines(text, file);
  const std::string_view first = trimmed(lines.next_filled().value_or(""));
  if (first.empty()) fail("{}: is empty, expected a problem", file);
  if (first.starts_with("node") && first.find(" -- ") != std::string_view::npos)
    return parse_pipedream;
  if (first.find_first_not_of("0123456789") == std::string_view::npos) return parse_doppler;
  fail(
      "{}: line {} is {}, expected a problem: JSON (berth, dnn-partitioning, moirai), "
      "\"nodeN -- ...\" (pipedream) or a vertex count (Doppler)",
      file, lines.number(), in_quotes(first));
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

// `owner` holds the text, if anybody does: it is emptied once the text has been taken apart.
Problem parse_any(std::string_view text, std::string* owner, const std::string& file,
                  const ReadOptions& options) {
  const std::string name = std::filesystem::path(file).stem().string();
  const auto read = [&] {
    if (!starts_as_json(text)) return text_reader(text, file)(text, file, name, options);
    const JsonDocument document(text, file);
    if (owner != nullptr) std::string().swap(*owner);
    return json_reader(document.root())(document.root(), name, options);
  };
  const Problem problem = read();
  return options.ignore_memory ? problem.with_cluster(without_limits(problem.cluster())) : problem;
}

}  // namespace

Problem parse_problem(std::string_view text, const std::string& file_name,
                      const ReadOptions& options) {
  return parse_any(without_mark(text), nullptr, file_name, options);
}

Problem read_problem(const std::filesystem::path& path, const ReadOptions& options) {
  std::string text = read_text_file(path);
  return parse_any(without_mark(text), &text, path.string(), options);
}

}  // namespace berth
