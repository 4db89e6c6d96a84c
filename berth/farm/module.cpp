// The MPI module: its version and self-check.
//
// MPI can be initialised once per process and must be finalised before it ends, or mpirun takes the
// end for a crash. So it starts with the first use and ends at exit.

#include "berth/modules/module.h"

#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#include <mpi.h>

#include "berth/base/error.h"
#include "berth/base/fail.h"
#include "berth/modules/build_config.h"

namespace berth {
namespace {

// Returns the thread support that MPI grants.
int initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised != 0) return;  // by the program that uses berth as a library
    int granted = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted) != MPI_SUCCESS)
      throw Error("MPI does not start");
    std::atexit([] {
      int finalised = 0;
      MPI_Finalized(&finalised);
      if (finalised == 0) MPI_Finalize();
    });
  });
  int granted = 0;
  MPI_Query_thread(&granted);
  return granted;
}

std::string self_check() {
  const int threads = initialise_once();
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = rank + 1;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != size * (size + 1) / 2) fail("MPI sums 1..{} to {} over the ranks", size, sum);
  return fmt::format(
      "rank {} of {}; {}", rank, size,
      threads == MPI_THREAD_MULTIPLE ? "all threads may send" : "only one thread may send");
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  static const std::string version = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    // "Open MPI v4.1.4, package: ...": what comes before the comma is enough.
    const std::string whole(text, static_cast<std::size_t>(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }();
  static const ModuleInterface module{
      .berth_version = BERTH_VERSION, .version = version, .self_check = self_check};
  return &module;
}

}  // namespace berth
