// Run by mpirun: checks that the MPI module sees as many ranks as the argument says.
#include <cstdio>
#include <exception>
#include <string>

#include "berth/modules/module.h"

int main(int, char** arguments) {
  try {
    const std::string found = berth::load_module(berth::ModuleKind::kMpi).self_check();
    const std::string wanted = std::string(" of ") + arguments[1] + ";";
    std::printf("%s\n", found.c_str());
    return found.find(wanted) == std::string::npos ? 1 : 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
