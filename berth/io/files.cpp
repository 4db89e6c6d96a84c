#include "berth/io/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "berth/base/fail.h"

namespace berth {
namespace {

constexpr std::size_t kLargestFile = std::numeric_limits<std::uint32_t>::max();

std::string reason() { return std::generic_category().message(errno); }

// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// What rename() should replace: the file itself, not a link to it.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real;
}

// A new file next to `target`, on the same file system, so that rename() can replace it.
int create_beside(const std::filesystem::path& target, std::string& aside) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    aside = fmt::format("{}.{}-{}.aside", target.string(), ::getpid(), attempt);
    const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  const auto fail_to_read = [&] { fail("{}: cannot read: {}", name, reason()); };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_read();
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_to_read();
  if (S_ISDIR(status.st_mode)) fail("{}: is a directory, expected a file", name);

  std::string text;
  if (S_ISREG(status.st_mode) && status.st_size > 0 &&
      static_cast<std::size_t>(status.st_size) <= kLargestFile)
    text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  // Reads to the end rather than to the announced size: the file may be growing, or a pipe.
  for (;;) {
    if (static_cast<std::size_t>(status.st_size) > kLargestFile || text.size() > kLargestFile)
      fail("{}: is larger than 4 GiB, expected at most that", name);
    const std::size_t before = text.size();
    const std::size_t left = text.capacity() - before;
    const std::size_t room = left > 0 ? left : std::max<std::size_t>(before, 65536);
    text.resize(before + room);
    const ssize_t count = ::read(file.get(), text.data() + before, room);
    text.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read();
    if (count == 0) return text;
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const std::string name = path.string();
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    fail("{}: cannot write: is a directory, expected a file name", name);
  // A device or a pipe (/dev/stdout) cannot be replaced, only written to.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), text) || !file.close())
      fail("{}: cannot write: {}", name, reason());
    return;
  }

  const std::filesystem::path target = behind_links(path);
  std::string aside;
  Descriptor file(create_beside(target, aside));
  if (file.get() < 0) fail("{}: cannot write: {}", name, reason());
  const auto clean_up_and_fail = [&] {
    const std::string why = reason();
    ::unlink(aside.c_str());
    fail("{}: cannot write: {}", name, why);
  };
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0) ::fchmod(file.get(), old.st_mode & 07777);
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close())
    clean_up_and_fail();
  if (::rename(aside.c_str(), target.c_str()) != 0) clean_up_and_fail();
}

}  // namespace berth
