// Any state by name, and its file: what a training needs to go on where it stopped.
//
// Numbers are kept exactly, bytes as they are (text, weights of a network), and parts nest. The
// file is CBOR behind a first line and a checksum, so that damage is found, and is written aside
// and renamed, so that it is never half there.
//
// Bormann and Hoffman, Concise Binary Object Representation (CBOR), RFC 8949.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace berth {

struct Archive {
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> bytes;
  std::map<std::string, Archive> parts;

  friend bool operator==(const Archive&, const Archive&) = default;
};

void write_archive(const std::filesystem::path& file, const Archive& archive);

// Throws Error when the file cannot be read, is none of berth's or is damaged. What it lacks shows
// when it is asked for: at() throws std::out_of_range.
Archive read_archive(const std::filesystem::path& file);

}  // namespace berth
