#include <berth/berth.h>
#include <berth/modules/build_info.h>

#include <iostream>

int main() {
  try {
    std::cout << "berth " << berth::version() << '\n';
    return 0;
  } catch (const berth::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
