#include "berth/io/record_file.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "berth/base/error.h"

using namespace berth;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  fs::path folder =
      fs::temp_directory_path() / fmt::format("berth-records-{}", static_cast<int>(getpid()));
  fs::path file = folder / "deep" / "records";
  Scratch() { fs::remove_all(folder); }
  ~Scratch() { fs::remove_all(folder); }
};

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

TEST_CASE("records are there in the next process, the last one of a key counts") {
  const Scratch scratch;
  {
    RecordFile records(scratch.file);
    CHECK(!records.find("conv"));
    records.add("conv", "12.5");
    records.add("odd\tkey\nwith \\n", "odd\tvalue\n");
    records.add("conv", "13.5");
    CHECK(records.find("conv") == "13.5");
  }
  const RecordFile records(scratch.file);
  CHECK(records.size() == 2);
  CHECK(records.damaged() == 0);
  CHECK(records.find("conv") == "13.5");
  CHECK(records.find("odd\tkey\nwith \\n") == "odd\tvalue\n");
}

TEST_CASE("without a path records live as long as the object") {
  RecordFile records({});
  records.add("a", "1");
  CHECK(records.find("a") == "1");
}

TEST_CASE("a file cut anywhere loses only the record that was cut") {
  const Scratch scratch;
  {
    RecordFile records(scratch.file);
    for (int i = 0; i < 3; ++i) records.add(fmt::format("key {}", i), fmt::format("value {}", i));
  }
  const std::string whole = text_of(scratch.file);
  const auto lines_before = [&](std::size_t cut) {
    return std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut), '\n');
  };
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write_text(scratch.file, whole.substr(0, cut));
    RecordFile records(scratch.file);
    const auto lines = static_cast<std::size_t>(lines_before(cut));
    CHECK(records.size() == (lines == 0 ? 0 : lines - 1));
    // What is added after the damage is read back, and the damage is gone.
    records.add("new", "value");
    const RecordFile again(scratch.file);
    CHECK(again.damaged() == 0);
    CHECK(again.find("new") == "value");
    CHECK(again.size() == records.size());
  }
}

TEST_CASE("any changed byte is noticed: a record is right or it is not there") {
  const Scratch scratch;
  {
    RecordFile records(scratch.file);
    for (int i = 0; i < 3; ++i) records.add(fmt::format("key {}", i), fmt::format("value {}", i));
  }
  const std::string whole = text_of(scratch.file);
  const std::size_t first_record = whole.find('\n') + 1;
  for (std::size_t at = first_record; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write_text(scratch.file, changed);
    const RecordFile records(scratch.file);
    CHECK(records.damaged() >= 1);
    for (int i = 0; i < 3; ++i) {
      const auto value = records.find(fmt::format("key {}", i));
      CHECK((!value || *value == fmt::format("value {}", i)));
    }
    CHECK(records.size() >= 1);  // a lost line end takes its neighbour along
  }
}

TEST_CASE("a file that is not berth's is refused, not overwritten") {
  const Scratch scratch;
  fs::create_directories(scratch.file.parent_path());
  write_text(scratch.file, "my precious notes\nsecond line\n");
  CHECK_THROWS_AS(RecordFile{scratch.file}, Error);
  CHECK(text_of(scratch.file) == "my precious notes\nsecond line\n");
}

TEST_CASE("a disk without space is one clear error, and the file stays whole") {
  const Scratch scratch;
  {
    RecordFile records(scratch.file);
    records.add("a", "1");
  }
  const std::string before = text_of(scratch.file);
  // A limit on the size of files acts like a full disk; in a child, so that it ends with it.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 8, before.size() + 8};
    setrlimit(RLIMIT_FSIZE, &limit);
    RecordFile records(scratch.file);
    try {
      records.add("b", "2");
      _exit(1);
    } catch (const Error& error) {
      _exit(std::string(error.what()).find(": cannot be written: ") != std::string::npos ? 0 : 2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(text_of(scratch.file) == before);
}

TEST_CASE("a process that is killed while it writes loses no finished record") {
  const Scratch scratch;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    RecordFile records(scratch.file);
    for (int i = 0;; ++i) {
      records.add(fmt::format("key {}", i), std::string(200, 'x'));
      if (write(ends[1], &i, sizeof i) != sizeof i) _exit(1);
    }
  }
  int last = -1;
  while (last < 200) REQUIRE(read(ends[0], &last, sizeof last) == sizeof last);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[1]);
  for (int more = 0; read(ends[0], &more, sizeof more) == sizeof more;) last = more;
  close(ends[0]);
  const RecordFile records(scratch.file);
  for (int i = 0; i <= last; ++i) CHECK(records.find(fmt::format("key {}", i)));
}
