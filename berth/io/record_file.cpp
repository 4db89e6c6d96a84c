#include "berth/io/record_file.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "berth/base/error.h"
#include "berth/base/hash.h"
#include "berth/base/text.h"
#include "berth/io/files.h"

namespace berth {
namespace {

constexpr std::string_view kFirstLine = "berth records 1\n";
constexpr std::size_t kChecksumDigits = 16;

std::string checksum(std::string_view text) { return fmt::format("{:016x}", hash_of(text)); }

// Tabs and line ends separate records, so keys and values have them written as \t and \n.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\\\";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char next = text[++i];
    result += next == 't' ? '\t' : next == 'n' ? '\n' : next;
  }
  return result;
}

std::string record_line(const std::string& key, const std::string& value) {
  const std::string content = escaped(key) + '\t' + escaped(value);
  return checksum(content) + ' ' + content + '\n';
}

// Key and value of a line without its end, or nothing when it is damaged.
std::optional<std::pair<std::string, std::string>> parsed(std::string_view line) {
  if (line.size() <= kChecksumDigits || line[kChecksumDigits] != ' ') return std::nullopt;
  const std::string_view content = line.substr(kChecksumDigits + 1);
  const std::size_t tab = content.find('\t');
  if (tab == std::string_view::npos || checksum(content) != line.substr(0, kChecksumDigits))
    return std::nullopt;
  return std::pair{unescaped(content.substr(0, tab)), unescaped(content.substr(tab + 1))};
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int reason) {
  throw Error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(reason)));
}

// Appends all of the text or, when the disk refuses, nothing.
void append(const std::filesystem::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, errno);
  const off_t before = ::lseek(file, 0, SEEK_END);
  const ssize_t written = ::write(file, text.data(), text.size());
  const int reason = written < 0 ? errno : ENOSPC;  // a short write means that the disk is full
  const bool whole = written == static_cast<ssize_t>(text.size());
  if (!whole && written > 0 && ::ftruncate(file, before) != 0) {
    // The broken line stays; readers recognise it.
  }
  if (::close(file) != 0 && whole) fail_to_write(path, errno);
  if (!whole) fail_to_write(path, reason);
}

}  // namespace

RecordFile::RecordFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  const std::string text = read_text_file(path_);
  if (text.empty()) return;
  // A file that was cut within its first line is ours; one that begins otherwise is not.
  const std::string_view start = std::string_view(text).substr(0, kFirstLine.size());
  const bool ours = kFirstLine.starts_with(start) ||
                    std::string_view(text).find("\n") == std::string_view::npos ||
                    start.starts_with("berth records ");
  if (!ours)
    throw Error(fmt::format("{}: is not a cache of berth: expected the line '{}'", path_.string(),
                            kFirstLine.substr(0, kFirstLine.size() - 1)));
  read(text);
  if (damaged_ > 0) rewrite();
}

void RecordFile::read(std::string_view text) {
  const bool has_first_line = text.starts_with(kFirstLine);
  if (!has_first_line) {  // another version, or damage: nothing in it can be trusted
    ++damaged_;
    return;
  }
  text.remove_prefix(kFirstLine.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto record = end == std::string_view::npos ? std::nullopt : parsed(text.substr(0, end));
    if (record)
      values_[record->first] = record->second;
    else
      ++damaged_;
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void RecordFile::rewrite() const {
  std::string text(kFirstLine);
  for (const auto& [key, value] :
       std::map<std::string, std::string>(values_.begin(), values_.end()))
    text += record_line(key, value);
  write_file_atomically(path_, text);
}

std::optional<std::string> RecordFile::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

void RecordFile::add(const std::string& key, const std::string& value) {
  if (!path_.empty()) {
    std::error_code failure;
    std::filesystem::create_directories(path_.parent_path(), failure);
    if (failure) fail_to_write(path_, failure.value());
    const bool is_new = !std::filesystem::exists(path_) || std::filesystem::file_size(path_) == 0;
    append(path_, (is_new ? std::string(kFirstLine) : "") + record_line(key, value));
  }
  values_[key] = value;
}

std::vector<std::string> RecordFile::damage_warnings() const {
  if (damaged_ == 0) return {};
  return {fmt::format("{}: {} dropped, to be measured again", path_.string(),
                      plural(damaged_, "damaged record"))};
}

std::vector<double> numbers_in(const std::optional<std::string>& record, std::size_t count) {
  std::vector<double> numbers;
  if (!record) return {};
  const char* at = record->data();
  const char* const end = at + record->size();
  while (at != end) {
    double number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = after == end ? end : after + 1;
  }
  return numbers.size() == count ? numbers : std::vector<double>{};
}

}  // namespace berth
