#include "berth/io/archive.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "berth/base/fail.h"
#include "berth/base/hash.h"
#include "berth/io/files.h"

namespace berth {
namespace {

using nlohmann::json;

constexpr std::string_view kFirstLine = "berth archive 1\n";

std::string first_lines(std::string_view content) {
  return fmt::format("{}{:016x}\n", kFirstLine, hash_of(content));
}

json to_json(const Archive& archive) {
  json result = {
      {"numbers", archive.numbers}, {"bytes", json::object()}, {"parts", json::object()}};
  for (const auto& [name, bytes] : archive.bytes)
    result["bytes"][name] = json::binary({bytes.begin(), bytes.end()});
  for (const auto& [name, part] : archive.parts) result["parts"][name] = to_json(part);
  return result;
}

Archive from_json(const json& value) {
  Archive archive{.numbers = value.at("numbers"), .bytes = {}, .parts = {}};
  for (const auto& [name, bytes] : value.at("bytes").items())
    archive.bytes[name].assign(bytes.get_binary().begin(), bytes.get_binary().end());
  for (const auto& [name, part] : value.at("parts").items()) archive.parts[name] = from_json(part);
  return archive;
}

}  // namespace

void write_archive(const std::filesystem::path& file, const Archive& archive) {
  std::string content;
  json::to_cbor(to_json(archive), content);
  write_file_atomically(file, first_lines(content) + content);
}

Archive read_archive(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  const std::size_t begin = first_lines("").size();
  try {
    const std::string_view content = std::string_view(text).substr(begin);
    if (text.starts_with(first_lines(content))) return from_json(json::from_cbor(content));
  } catch (const std::exception&) {  // too short, or not what is expected
  }
  fail("{}: not a checkpoint of berth, or damaged", file.string());
}

}  // namespace berth
