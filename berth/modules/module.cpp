#include "berth/modules/module.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "berth/base/fail.h"
#include "berth/base/text.h"
#include "berth/modules/build_config.h"
#include "berth/modules/build_info.h"

namespace berth {
namespace {

struct ModuleEntry {
  std::string_view name;
  std::string_view purpose;  // what berth uses it for
  std::string_view file;
  std::string_view why_not;  // empty: this build has it
  int scope = RTLD_LOCAL;    // what dlopen does with its symbols
};

// The components of Open MPI name no library that they need and find libmpi among the global
// symbols; the others keep their many symbols to themselves.
constexpr std::array kModules{
    ModuleEntry{"OpenVINO", "models, profiles, real runs", "libberth-openvino.so",
                BERTH_WHY_NOT_OPENVINO},
    ModuleEntry{"LibTorch", "learned placers", "libberth-torch.so", BERTH_WHY_NOT_TORCH},
    ModuleEntry{"MPI", "searches and training on several machines", "libberth-mpi.so",
                BERTH_WHY_NOT_MPI, RTLD_GLOBAL},
    ModuleEntry{"HiGHS", "linear and integer programs", "libberth-highs.so", BERTH_WHY_NOT_HIGHS},
    ModuleEntry{"METIS", "the partition of min-cut", "libberth-metis.so", BERTH_WHY_NOT_METIS},
    ModuleEntry{"Scotch", "the partition of scotch", "libberth-scotch.so", BERTH_WHY_NOT_SCOTCH},
};
static_assert(kModules.size() == kModuleKinds.size());

const ModuleEntry& entry_of(ModuleKind kind) { return kModules[static_cast<std::size_t>(kind)]; }

std::filesystem::path module_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&load_module), &info) == 0 || info.dli_fname == nullptr)
    throw Error("libberth.so does not know where it was loaded from");
  return std::filesystem::absolute(info.dli_fname).parent_path() / "berth";
}

const ModuleInterface* open_module(const ModuleEntry& entry) {
  if (!entry.why_not.empty()) fail("this build of berth has no {}: {}", entry.name, entry.why_not);
  const std::filesystem::path file = module_directory() / entry.file;
  if (!std::filesystem::exists(file))
    fail("the {} module is missing: expected {}", entry.name, file.string());
  void* handle = dlopen(file.c_str(), RTLD_NOW | entry.scope);
  if (handle == nullptr) fail("the {} module does not load: {}", entry.name, dlerror());
  const auto describe =
      reinterpret_cast<const ModuleInterface* (*)()>(dlsym(handle, "berth_module"));
  if (describe == nullptr) fail("{} is not a module of berth", file.string());
  const ModuleInterface* module = describe();
  if (module->berth_version != version())
    fail("{} belongs to berth {}, this is berth {}", file.string(), module->berth_version,
         version());
  if (module->size != sizeof(ModuleInterface))
    fail("{} belongs to another build of berth {}: build or install them together", file.string(),
         version());
  return module;
}

// ---- the probe: a child process writes its report into a pipe ----

constexpr std::chrono::seconds kProbeLimit{60};

// "1<version>\n<detail>" or "0<why not>".
std::string checked_answer(ModuleKind kind) {
  try {
    const ModuleInterface& module = load_module(kind);
    return fmt::format("1{}\n{}", module.version, module.self_check());
  } catch (const std::exception& error) {
    return fmt::format("0{}", split(error.what(), '\n').front());
  }
}

[[noreturn]] void answer_and_exit(ModuleKind kind, int pipe_end) {
  // Third parties print when they fail, and the report is to be the only voice. Neither output is
  // flushed here: what the parent has buffered is the parent's to write.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  const std::string answer = checked_answer(kind);
  const ssize_t written = write(pipe_end, answer.data(), answer.size());
  _exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
}

// All that arrives until the other end is closed; nothing when that takes longer than the limit.
std::optional<std::string> read_until_closed(int pipe_end) {
  using namespace std::chrono;
  const auto deadline = steady_clock::now() + kProbeLimit;
  std::string text;
  std::array<char, 512> buffer;
  while (true) {
    const auto left = duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd waiting{.fd = pipe_end, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t count = read(pipe_end, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// The answer of a child process; "0" and the reason when there is none.
std::string answer_of_child(ModuleKind kind) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return fmt::format("0cannot be checked: {}", std::strerror(errno));
  const pid_t child = fork();
  const int reason = errno;
  if (child == 0) answer_and_exit(kind, ends[1]);
  close(ends[1]);
  const std::optional<std::string> answer = read_until_closed(ends[0]);
  close(ends[0]);
  if (child < 0) return fmt::format("0cannot be checked: {}", std::strerror(reason));
  if (!answer) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answer) return fmt::format("0its check took longer than {} s", kProbeLimit.count());
  if (!answer->empty()) return *answer;
  if (WIFSIGNALED(status)) return fmt::format("0its check died of {}", strsignal(WTERMSIG(status)));
  return fmt::format("0its check ended the process with code {}", WEXITSTATUS(status));
}

}  // namespace

const ModuleInterface& load_module(ModuleKind kind) {
  static std::mutex mutex;
  static std::array<const ModuleInterface*, kModules.size()> loaded{};
  const std::scoped_lock lock(mutex);
  const ModuleInterface*& module = loaded[static_cast<std::size_t>(kind)];
  if (module == nullptr) module = open_module(entry_of(kind));
  return *module;
}

ModuleReport probe_module(ModuleKind kind) {
  const ModuleEntry& entry = entry_of(kind);
  const std::string answer = answer_of_child(kind);
  const bool available = answer.front() == '1';
  const std::size_t end_of_version = available ? answer.find('\n') : 0;
  return {.name = std::string(entry.name),
          .purpose = std::string(entry.purpose),
          .available = available,
          .version = available ? answer.substr(1, end_of_version - 1) : "",
          .detail = answer.substr(end_of_version + 1)};
}

}  // namespace berth
