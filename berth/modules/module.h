// Every optional third party as a module: a shared object that is opened on first use.
//
// A program linked with LibTorch takes 0.3 s and 115 MB just to start, one with HiGHS, METIS and
// Scotch 1.8 MB, and both fail in the loader, before main, where a library is missing. Most
// commands need none of them. So the code that includes their headers is compiled into
// berth/libberth-<name>.so beside libberth.so, and libberth.so knows it only as a table of
// functions. What needs a module asks for it here and gets the table, or an Error of one line; the
// rest never pays.
//
// A module is looked for beside libberth.so and nowhere else, the same in the build tree and in an
// installation. Once open it stays open until the process ends: the thread pools inside do not
// survive unloading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class Learner;
class MilpModel;
class Runtime;
struct ColocRlOptions;
struct HdpOptions;
struct HsdagOptions;
struct MilpOptions;
struct MilpSolution;
struct PartitionGraph;
struct PlacetoOptions;
struct Task;

enum class ModuleKind { kOpenvino, kTorch, kMpi, kHighs, kMetis, kScotch };

inline constexpr std::array kModuleKinds{ModuleKind::kOpenvino, ModuleKind::kTorch,
                                         ModuleKind::kMpi,      ModuleKind::kHighs,
                                         ModuleKind::kMetis,    ModuleKind::kScotch};

// What a module offers; a new service is a new function pointer here.
struct ModuleInterface {
  // Of the headers it was compiled with: a module of another version or shape is refused.
  std::string_view berth_version;
  std::size_t size = sizeof(ModuleInterface);
  std::string_view version;  // of the third party, for people

  // Computes something tiny whose answer is known and says in a few words what the module can do
  // on this machine. Throws Error when the answer is wrong or the third party refuses.
  std::string (*self_check)();

  // The services. A function is null in the modules that do not offer it.

  // OpenVINO: the backend, made on first use.
  Runtime& (*runtime)() = nullptr;

  // LibTorch: the learners with networks (learn/learner.h).
  std::unique_ptr<Learner> (*make_coloc_rl)(const ColocRlOptions& options, const Task& task,
                                            std::uint64_t seed) = nullptr;
  std::unique_ptr<Learner> (*make_hdp)(const HdpOptions& options, const Task& task,
                                       std::uint64_t seed) = nullptr;
  std::unique_ptr<Learner> (*make_hsdag)(const HsdagOptions& options, const Task& task,
                                         std::uint64_t seed) = nullptr;
  std::unique_ptr<Learner> (*make_placeto)(const PlacetoOptions& options, const Task& task,
                                           std::uint64_t seed) = nullptr;

  // HiGHS: solves a linear or integer program (solvers/milp.h).
  MilpSolution (*solve)(const MilpModel& model, const MilpOptions& options) = nullptr;

  // METIS, Scotch: a balanced partition (place/cut/partition.h).
  std::optional<std::vector<std::int32_t>> (*partition)(const PartitionGraph& graph,
                                                        std::span<const double> shares,
                                                        double imbalance,
                                                        std::uint64_t seed) = nullptr;
};

// Opens the module, or throws Error. Thread-safe; fast after the first call.
const ModuleInterface& load_module(ModuleKind kind);

struct ModuleReport {
  std::string name;     // "LibTorch"
  std::string purpose;  // what berth uses it for
  bool available = false;
  std::string version;  // of the third party; empty when not available
  std::string detail;   // what it can do here, or why it is not available

  friend bool operator==(const ModuleReport&, const ModuleReport&) = default;
};

// Opens and self-checks the module in a child process, so that it never throws and a third party
// that crashes, aborts or hangs (a minute) becomes a line of the report. Starts a process and loads
// the module each time: for `berth doctor`, not for deciding what to do next. Under mpirun a rank
// can start MPI only once, and a probe of MPI uses that up.
ModuleReport probe_module(ModuleKind kind);

// The one symbol that a module defines.
extern "C" const ModuleInterface* berth_module();

}  // namespace berth
