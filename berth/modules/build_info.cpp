#include "berth/modules/build_info.h"

#include "berth/modules/build_commit.h"
#include "berth/modules/build_config.h"

namespace berth {

std::string_view version() { return BERTH_VERSION; }

std::string_view commit() { return BERTH_COMMIT; }

std::vector<BuildPart> build_parts() {
  return {
      {"OpenVINO", "models, profiles, real runs", BERTH_HAS_OPENVINO, BERTH_WHY_NOT_OPENVINO},
      {"LibTorch", "learned placers", BERTH_HAS_TORCH, BERTH_WHY_NOT_TORCH},
      {"MPI", "searches and training on several machines", BERTH_HAS_MPI, BERTH_WHY_NOT_MPI},
      {"HiGHS", "linear and integer programs", BERTH_HAS_HIGHS, BERTH_WHY_NOT_HIGHS},
      {"METIS", "the partition of min-cut", BERTH_HAS_METIS, BERTH_WHY_NOT_METIS},
      {"Scotch", "the partition of scotch", BERTH_HAS_SCOTCH, BERTH_WHY_NOT_SCOTCH},
  };
}

}  // namespace berth
