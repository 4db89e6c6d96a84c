// The OpenVINO module: its version, self-check and runtime.

#include "berth/modules/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/op/ops.hpp>

#include "berth/base/fail.h"
#include "berth/modules/build_config.h"
#include "berth/runtime/openvino/openvino_runtime.h"

namespace berth {
namespace {

std::shared_ptr<ov::Model> two_x_plus_one(std::size_t size) {
  using namespace ov::op;
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, ov::Shape{size});
  const auto two = v0::Constant::create(ov::element::f32, {1}, {2.0F});
  const auto one = v0::Constant::create(ov::element::f32, {1}, {1.0F});
  const auto y = std::make_shared<v1::Add>(std::make_shared<v1::Multiply>(x, two), one);
  return std::make_shared<ov::Model>(ov::OutputVector{y}, ov::ParameterVector{x});
}

std::string self_check() {
  constexpr std::size_t kSize = 4;
  ov::Core core;
  // Left to itself the plugin picks bf16 where the CPU advertises AMX, and dies of SIGILL on
  // virtual machines that hide CPUID leaf 0x1D.
  ov::CompiledModel compiled = core.compile_model(two_x_plus_one(kSize), "CPU",
                                                  ov::hint::inference_precision(ov::element::f32));
  ov::InferRequest request = compiled.create_infer_request();
  float* input = request.get_input_tensor().data<float>();
  for (std::size_t i = 0; i < kSize; ++i) input[i] = static_cast<float>(i);
  request.infer();
  const float* output = request.get_output_tensor().data<const float>();
  for (std::size_t i = 0; i < kSize; ++i) {
    const float expected = 2.0F * static_cast<float>(i) + 1.0F;
    if (output[i] != expected) fail("OpenVINO computes 2 * {} + 1 = {} on the CPU", i, output[i]);
  }
  return fmt::format("devices {}; f32 checked on the CPU",
                     fmt::join(core.get_available_devices(), ", "));
}

// Never destroyed: the threads inside do not survive the end of main.
Runtime& runtime() {
  static OpenvinoRuntime& runtime = *new OpenvinoRuntime;
  return runtime;
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  // "2026.4.1-22982-e213a147257-releases/2026/4": what comes before the first dash is enough.
  static const std::string build = ov::get_openvino_version().buildNumber;
  static const std::string version = build.substr(0, build.find('-'));
  static const ModuleInterface module{.berth_version = BERTH_VERSION,
                                      .version = version,
                                      .self_check = self_check,
                                      .runtime = runtime};
  return &module;
}

}  // namespace berth
