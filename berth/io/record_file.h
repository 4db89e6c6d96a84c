// Measurements that outlive the process: an append-only file of checked records.
//
//   berth records 1
//   <checksum> <key> TAB <value>
//
// A record is written by one append and is there for good: killing the process between two records
// loses nothing, killing it within one leaves a line whose checksum is wrong. Such lines, like any
// other damage, are counted, ignored, and removed by rewriting the file aside; what they held is
// simply measured again. Of several records with one key the last one counts. Processes may share
// the file: appends do not interleave.
//
// The checksum is FNV-1a, 64 bits: against accidents, not against forgery.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth {

class RecordFile {
 public:
  // Reads what is there; an empty path keeps records in memory only. Throws Error when the file
  // exists and cannot be read, or is not one of berth's.
  explicit RecordFile(std::filesystem::path path);

  std::optional<std::string> find(const std::string& key) const;
  // On disk when it returns. Throws Error with the system's reason, such as a full disk; the file
  // then is as before.
  void add(const std::string& key, const std::string& value);

  // What was known until now counts no more; on disk it stays until it is added again.
  void forget() { values_.clear(); }

  // "FILE: 1 damaged record dropped, to be measured again", when there is one.
  std::vector<std::string> damage_warnings() const;

  std::size_t size() const { return values_.size(); }
  std::size_t damaged() const { return damaged_; }  // records that were lost to damage

 private:
  std::filesystem::path path_;
  std::map<std::string, std::string> values_;
  std::size_t damaged_ = 0;
};

// The numbers of a record, separated by spaces; empty when it does not have `count` of them.
std::vector<double> numbers_in(const std::optional<std::string>& record, std::size_t count);

}  // namespace berth
