#include "berth/io/files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/io/error_text.h"

using namespace berth;

namespace {

// A directory that goes away with the test.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("berth_files_" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

std::size_t entries(const std::filesystem::path& directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

}  // namespace

TEST_CASE("what is written is read, and nothing is left beside it") {
  const Scratch scratch;
  const std::string text = std::string("a\0b\r\n", 5) + std::string(300000, 'x');
  write_file_atomically(scratch.path / "f", "old");
  write_file_atomically(scratch.path / "f", text);
  CHECK(read_text_file(scratch.path / "f") == text);
  CHECK(entries(scratch.path) == 1);
  write_file_atomically(scratch.path / "empty", "");
  CHECK(read_text_file(scratch.path / "empty").empty());
}

TEST_CASE("a replaced file keeps its rights, and a link keeps pointing") {
  const Scratch scratch;
  write_file_atomically(scratch.path / "f", "old");
  std::filesystem::permissions(
      scratch.path / "f", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("f", scratch.path / "link");
  write_file_atomically(scratch.path / "link", "new");
  CHECK(std::filesystem::is_symlink(scratch.path / "link"));
  CHECK(read_text_file(scratch.path / "f") == "new");
  CHECK(std::filesystem::status(scratch.path / "f").permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("failures carry the file and the reason") {
  const Scratch scratch;
  const std::string missing = (scratch.path / "no" / "file").string();
  CHECK(error_of([&] { read_text_file(missing); }) ==
        missing + ": cannot read: No such file or directory");
  CHECK(error_of([&] { write_file_atomically(missing, "x"); }) ==
        missing + ": cannot write: No such file or directory");
  CHECK(error_of([&] { read_text_file(scratch.path); }) ==
        scratch.path.string() + ": is a directory, expected a file");
  CHECK(error_of([&] { write_file_atomically(scratch.path, "x"); }).find("is a directory") !=
        std::string::npos);
}

TEST_CASE("a full disk is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  CHECK(error_of([] { write_file_atomically("/dev/full", "x"); }) ==
        "/dev/full: cannot write: No space left on device");
}

TEST_CASE("a file beyond 4 GiB is refused without reading it") {
  const Scratch scratch;
  { std::ofstream(scratch.path / "huge") << "{"; }
  std::filesystem::resize_file(scratch.path / "huge", std::uintmax_t{5} << 30);  // sparse
  CHECK(error_of([&] { read_text_file(scratch.path / "huge"); }).find("larger than 4 GiB") !=
        std::string::npos);
}
