# find_package(berth) gives the target berth::berth; it needs no other package.
include(${CMAKE_CURRENT_LIST_DIR}/berthTargets.cmake)
