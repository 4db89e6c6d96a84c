#include "berth/modules/build_info.h"

#include "berth/modules/build_commit.h"
#include "berth/modules/build_config.h"

namespace berth {

std::string_view version() { return BERTH_VERSION; }

std::string_view commit() { return BERTH_COMMIT; }

}  // namespace berth
