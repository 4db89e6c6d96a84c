#include "cli/meter.h"

#include <memory>
#include <utility>

#include "berth/runtime/local_cluster.h"
#include "berth/runtime/placement_meter.h"
#include "cli/measurements.h"
#include "cli/model_input.h"

namespace berth {

Meter real_meter(const std::string& input, const InputOptions& options, const Problem& problem) {
  if (!is_model(input) || options.training || !parse_local(options.devices)) return {};
  const auto meter = std::make_shared<Meter>();
  return [=](const Placement& placement) {
    if (!*meter) {
      Runtime& runtime = openvino_runtime();
      std::shared_ptr<const Model> model = runtime.open(model_source(input, options));
      *meter =
          placement_meter(runtime, std::move(model), real_devices(options.devices, ""), problem);
    }
    return (*meter)(placement);
  };
}

}  // namespace berth
