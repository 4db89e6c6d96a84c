#include "berth/modules/module.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/modules/build_config.h"

using namespace berth;

namespace {

// Checks the module in this process where the build has it, and its refusal where it has not.
void check_module(ModuleKind kind, bool built) {
  const ModuleReport report = probe_module(kind);
  CAPTURE(report.name);
  CAPTURE(report.detail);
  CHECK(report.available == built);
  CHECK_FALSE(report.detail.empty());
  CHECK(report.detail.find('\n') == std::string::npos);
  if (!built) {
    CHECK_THROWS_AS(load_module(kind), Error);
    return;
  }
  const ModuleInterface& module = load_module(kind);
  CHECK(&module == &load_module(kind));
  CHECK(module.version == report.version);
  CHECK(module.self_check() == report.detail);
}

}  // namespace

TEST_CASE("OpenVINO builds and runs a tiny model, or says why it is not there") {
  check_module(ModuleKind::kOpenvino, BERTH_HAS_OPENVINO);
}

TEST_CASE("LibTorch multiplies and differentiates, or says why it is not there") {
  check_module(ModuleKind::kTorch, BERTH_HAS_TORCH);
}

TEST_CASE("MPI starts and sums over its ranks, or says why it is not there") {
  check_module(ModuleKind::kMpi, BERTH_HAS_MPI);
}

TEST_CASE("HiGHS solves a small program, or says why it is not there") {
  check_module(ModuleKind::kHighs, BERTH_HAS_HIGHS);
}

TEST_CASE("METIS cuts a path in the middle, or says why it is not there") {
  check_module(ModuleKind::kMetis, BERTH_HAS_METIS);
}

TEST_CASE("Scotch cuts a path in the middle, or says why it is not there") {
  check_module(ModuleKind::kScotch, BERTH_HAS_SCOTCH);
}
