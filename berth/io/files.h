// Whole files in and out.
//
// Reading takes a file at once, up to 4 GiB (the largest document the JSON parser addresses).
// Writing goes aside and renames: a crash, a full disk or a Ctrl-C leaves the old file whole, never
// half of the new one. Both throw Error with the file and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace berth {

std::string read_text_file(const std::filesystem::path& path);

void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace berth
