# Every third-party package: version, why it is here, whether it is optional. docs/dependencies.md
# says what would replace each.
#
# An optional package X has a setting BERTH_WITH_X: AUTO (used when found), ON (an error when not
# found) or OFF. The outcome is BERTH_HAS_X, and BERTH_WHY_NOT_X when it is off; the code sees both
# through berth/modules/build_config.h, and the target berth_dep::x exists only when it is on.

# An imported library berth_dep::<name> with one header directory and the libraries named.
function(berth_import name include_directory)
  add_library(berth_dep::${name} INTERFACE IMPORTED)
  target_include_directories(berth_dep::${name} SYSTEM INTERFACE ${include_directory})
  target_link_libraries(berth_dep::${name} INTERFACE ${ARGN})
endfunction()

# ---- required, from the system ----

find_package(Threads REQUIRED)
find_package(fmt 8 REQUIRED)              # 9.1: text; g++ 12 has no <format>
find_package(nlohmann_json 3.10 REQUIRED) # 3.11: where a broken JSON file breaks
find_package(simdjson REQUIRED)           # 3.0: reads JSON
find_package(CLI11 REQUIRED)              # 2.1: the options of the command line
find_path(re2_include re2/re2.h REQUIRED NO_CACHE) # 20220601: patterns on node names
find_library(re2_library re2 REQUIRED NO_CACHE)
berth_import(re2 ${re2_include} ${re2_library})
if(BERTH_BUILD_TESTS)
  find_package(doctest REQUIRED)          # 2.4: the tests
endif()
if(BERTH_BUILD_BENCH)
  find_package(benchmark REQUIRED)        # 1.7: the micro-benchmarks
endif()

# ---- where scripts/setup unpacks the wheels of the lock file ----

set(lock_file ${PROJECT_SOURCE_DIR}/cmake/python-packages.lock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock_file})
if(NOT BERTH_PACKAGES_DIR)
  file(SHA256 ${lock_file} lock_hash)
  string(SUBSTRING ${lock_hash} 0 16 lock_hash)
  if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(BERTH_PACKAGES_DIR $ENV{HOME}/.cache/berth/${lock_hash})
  else()
    set(BERTH_PACKAGES_DIR $ENV{XDG_CACHE_HOME}/berth/${lock_hash})
  endif()
endif()

# Turns the setting BERTH_WITH_<name> and the results of the searches named after `words` into
# BERTH_HAS_<name>; `words` say what is not found when one of them is false.
macro(berth_settle name words)
  set(BERTH_WITH_${name} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE BERTH_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
  set(BERTH_HAS_${name} 1)
  set(BERTH_WHY_NOT_${name} "")
  foreach(result IN ITEMS ${ARGN})
    if(NOT ${result})
      set(BERTH_HAS_${name} 0)
      set(BERTH_WHY_NOT_${name} "${words} not found when berth was built")
    endif()
  endforeach()
  if(NOT BERTH_WITH_${name})
    set(BERTH_HAS_${name} 0)
    set(BERTH_WHY_NOT_${name} "switched off when berth was built (BERTH_WITH_${name}=OFF)")
  elseif(NOT BERTH_HAS_${name} AND NOT BERTH_WITH_${name} STREQUAL "AUTO")
    message(FATAL_ERROR "BERTH_WITH_${name} is ON, but ${words} was not found; run scripts/setup")
  endif()
  if(BERTH_HAS_${name})
    message(STATUS "With ${name}")
  else()
    message(NOTICE "Without ${name}: ${BERTH_WHY_NOT_${name}}")
  endif()
endmacro()

# ---- HiGHS 1.15.1: linear and integer programs (optional) ----
# Headers from the wheel highsbox, whose library has the old C++ ABI; the library from highspy,
# which has the new one and no headers.

find_path(highs_include Highs.h NO_CACHE
          PATHS ${BERTH_PACKAGES_DIR}/highsbox/highs_dist/include/highs NO_DEFAULT_PATH)
find_library(highs_library NAMES libhighs.so.1 NO_CACHE
             PATHS ${BERTH_PACKAGES_DIR}/highspy NO_DEFAULT_PATH)
berth_settle(HIGHS "HiGHS (wheels highsbox and highspy)" highs_include highs_library)
if(BERTH_HAS_HIGHS)
  berth_import(highs ${highs_include} ${highs_library})
endif()

# ---- METIS 5.1: the balanced partition baseline `min-cut` (optional) ----

find_path(metis_include metis.h NO_CACHE)
find_library(metis_library metis NO_CACHE)
berth_settle(METIS "METIS (package libmetis-dev)" metis_include metis_library)
if(BERTH_HAS_METIS)
  berth_import(metis ${metis_include} ${metis_library})
endif()

# ---- Scotch 7.0: the partition baseline `scotch` of the published tables (optional) ----

find_path(scotch_include scotch.h NO_CACHE PATH_SUFFIXES scotch)
find_library(scotch_library scotch NO_CACHE)
find_library(scotch_error_library scotcherr NO_CACHE)
berth_settle(SCOTCH "Scotch (package libscotch-dev)"
             scotch_include scotch_library scotch_error_library)
if(BERTH_HAS_SCOTCH)
  berth_import(scotch ${scotch_include} ${scotch_library} ${scotch_error_library})
endif()

# ---- OpenVINO 2026.4.1: reads models, profiles and runs them (optional, a module) ----
# -DOpenVINO_DIR=... takes another one than the wheel's.

if(DEFINED CACHE{OpenVINO_DIR})
  find_package(OpenVINO QUIET COMPONENTS Runtime)
  set(BERTH_OPENVINO_CMAKE ${OpenVINO_DIR}) # for the test of exported models
else()
  find_package(OpenVINO QUIET COMPONENTS Runtime
               PATHS ${BERTH_PACKAGES_DIR}/openvino/cmake NO_DEFAULT_PATH)
  set(BERTH_OPENVINO_CMAKE ${BERTH_PACKAGES_DIR}/openvino/cmake)
  unset(OpenVINO_DIR CACHE) # so that the next configuration follows the lock file
endif()
berth_settle(OPENVINO "OpenVINO (wheel openvino)" OpenVINO_FOUND)
if(BERTH_HAS_OPENVINO)
  add_library(berth_dep::openvino ALIAS openvino::runtime)
endif()

# ---- LibTorch 2.15.0: tensors, autograd and optimisers of the learned placers (optional, a module)
# find_package(Torch) wants a CUDA toolkit because the only x86-64 wheel is the CUDA build; linking
# its CPU half by hand needs none. -DBERTH_TORCH_DIR=... takes another directory with include/ and
# lib/, such as a CPU-only wheel.

set(BERTH_TORCH_DIR "" CACHE PATH "A torch directory to use instead of the wheel of the lock file")
set(torch_dir ${BERTH_TORCH_DIR})
if(NOT torch_dir)
  set(torch_dir ${BERTH_PACKAGES_DIR}/torch)
endif()
find_path(torch_include torch/csrc/api/include/torch/torch.h NO_CACHE
          PATHS ${torch_dir}/include NO_DEFAULT_PATH)
find_library(torch_library torch_cpu NO_CACHE PATHS ${torch_dir}/lib NO_DEFAULT_PATH)
find_library(c10_library c10 NO_CACHE PATHS ${torch_dir}/lib NO_DEFAULT_PATH)
berth_settle(TORCH "LibTorch (wheel torch)" torch_include torch_library c10_library)
if(BERTH_HAS_TORCH)
  berth_import(torch "${torch_include};${torch_include}/torch/csrc/api/include"
               ${torch_library} ${c10_library})
  # Its include directory carries a newer fmt, which hides the system's and has no library.
  target_compile_definitions(berth_dep::torch INTERFACE FMT_HEADER_ONLY)
endif()

# ---- Open MPI 4.1: searches and training on several machines (optional, a module) ----

set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings that MPI 3 removed
find_package(MPI QUIET COMPONENTS CXX)
berth_settle(MPI "MPI (packages libopenmpi-dev and openmpi-bin)" MPI_CXX_FOUND)
if(BERTH_HAS_MPI)
  add_library(berth_dep::mpi ALIAS MPI::MPI_CXX)
endif()

configure_file(${PROJECT_SOURCE_DIR}/cmake/build_config.h.in
               ${PROJECT_BINARY_DIR}/generated/berth/modules/build_config.h)
