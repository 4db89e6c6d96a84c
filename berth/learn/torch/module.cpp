// The LibTorch module: its version, its self-check and its learners.

#include "berth/modules/module.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "berth/base/error.h"
#include "berth/learn/torch/learners.h"
#include "berth/modules/build_config.h"

namespace berth {
namespace {

// loss = sum((A B)^2) with A and B all ones: each of the 4 entries of A B is 3, so the loss is 36,
// and each entry of its gradient by A is 2 * 3 * 1 summed over the 2 columns of B: 12.
std::string self_check() {
  const torch::Tensor a = torch::ones({2, 3}, torch::requires_grad());
  const torch::Tensor b = torch::ones({3, 2});
  const torch::Tensor loss = torch::matmul(a, b).square().sum();
  loss.backward();
  if (loss.item<float>() != 36.0F)
    throw Error(fmt::format("LibTorch computes {} where 36 is right", loss.item<float>()));
  if (!a.grad().equal(torch::full({2, 3}, 12.0F)))
    throw Error("LibTorch computes a wrong gradient of sum((A B)^2)");
  return fmt::format("{} threads; a gradient checked on the CPU", torch::get_num_threads());
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  static const ModuleInterface module{.berth_version = BERTH_VERSION,
                                      .version = TORCH_VERSION,
                                      .self_check = self_check,
                                      .make_coloc_rl = make_coloc_rl,
                                      .make_hdp = make_hdp,
                                      .make_hsdag = make_hsdag,
                                      .make_placeto = make_placeto};
  return &module;
}

}  // namespace berth
