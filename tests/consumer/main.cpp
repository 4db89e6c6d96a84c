#include <iostream>

#include <berth/berth.h>
#include <berth/modules/build_info.h>
#include <berth/modules/module.h>

int main() {
  std::cout << "berth " << berth::version() << '\n';
  for (const berth::ModuleKind kind : {berth::ModuleKind::kOpenvino, berth::ModuleKind::kTorch}) {
    try {
      berth::load_module(kind);
    } catch (const berth::Error& error) {
      std::cout << error.what() << '\n';
    }
  }
}
