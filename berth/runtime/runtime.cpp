#include "berth/runtime/runtime.h"

#include "berth/modules/module.h"

namespace berth {

Runtime& openvino_runtime() { return load_module(ModuleKind::kOpenvino).runtime(); }

}  // namespace berth
