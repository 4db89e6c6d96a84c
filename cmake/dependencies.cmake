# Every third-party package: version, why it is here, whether it is optional. docs/dependencies.md
# says what would replace each.
#
# An optional package X has a setting BERTH_WITH_X: AUTO (used when found), ON (an error when not
# found) or OFF. The outcome is BERTH_HAS_X, and BERTH_WHY_NOT_X when it is off; the code sees both
# through berth/modules/build_config.h, and the target berth_dep::x exists only when it is on.

# ---- required, from the system ----

find_package(Threads REQUIRED)
find_package(fmt 8 REQUIRED)              # 9.1: text; g++ 12 has no <format>
find_package(nlohmann_json 3.10 REQUIRED) # 3.11: writes JSON, reads small files
find_package(simdjson REQUIRED)           # 3.0: reads large problem files
find_package(CLI11 REQUIRED)              # 2.1: the options of the command line
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
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(BERTH_PACKAGES_DIR $ENV{XDG_CACHE_HOME}/berth/${lock_hash})
  else()
    set(BERTH_PACKAGES_DIR $ENV{HOME}/.cache/berth/${lock_hash})
  endif()
endif()

# Turns the setting BERTH_WITH_<name> and what was found into BERTH_HAS_<name>. `missing` says in
# words what was looked for and not found; empty means that everything is there.
macro(berth_settle name missing)
  set(BERTH_WITH_${name} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE BERTH_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
  set(BERTH_HAS_${name} 0)
  set(BERTH_WHY_NOT_${name} "")
  if(BERTH_WITH_${name} STREQUAL "AUTO" OR BERTH_WITH_${name})
    if("${missing}" STREQUAL "")
      set(BERTH_HAS_${name} 1)
    elseif(BERTH_WITH_${name} STREQUAL "AUTO")
      set(BERTH_WHY_NOT_${name} "${missing} not found when berth was built")
    else()
      message(FATAL_ERROR "BERTH_WITH_${name} is ON, but ${missing} was not found; run scripts/setup")
    endif()
  else()
    set(BERTH_WHY_NOT_${name} "switched off when berth was built (BERTH_WITH_${name}=OFF)")
  endif()
  if(BERTH_HAS_${name})
    message(STATUS "With ${name}")
  else()
    message(STATUS "Without ${name}: ${BERTH_WHY_NOT_${name}}")
  endif()
endmacro()

# An imported library berth_dep::<name> with one header directory and the libraries named.
function(berth_import name include_directory)
  add_library(berth_dep::${name} INTERFACE IMPORTED)
  target_include_directories(berth_dep::${name} SYSTEM INTERFACE ${include_directory})
  target_link_libraries(berth_dep::${name} INTERFACE ${ARGN})
endfunction()

# ---- HiGHS 1.15.1: linear and integer programs (optional) ----
# Headers from the wheel highsbox, whose library has the old C++ ABI; the library from highspy,
# which has the new one and no headers.

find_path(highs_include Highs.h NO_CACHE
          PATHS ${BERTH_PACKAGES_DIR}/highsbox/highs_dist/include/highs NO_DEFAULT_PATH)
find_library(highs_library NAMES libhighs.so.1 NO_CACHE
             PATHS ${BERTH_PACKAGES_DIR}/highspy NO_DEFAULT_PATH)
if(highs_include AND highs_library)
  berth_settle(HIGHS "")
else()
  berth_settle(HIGHS "HiGHS (wheels highsbox and highspy)")
endif()
if(BERTH_HAS_HIGHS)
  berth_import(highs ${highs_include} ${highs_library})
endif()

# ---- METIS 5.1: the balanced partition baseline `min-cut` (optional) ----

find_path(metis_include metis.h NO_CACHE)
find_library(metis_library metis NO_CACHE)
if(metis_include AND metis_library)
  berth_settle(METIS "")
else()
  berth_settle(METIS "METIS (package libmetis-dev)")
endif()
if(BERTH_HAS_METIS)
  berth_import(metis ${metis_include} ${metis_library})
endif()

# ---- Scotch 7.0: the partition baseline `scotch` of the published tables (optional) ----

find_path(scotch_include scotch.h NO_CACHE PATH_SUFFIXES scotch)
find_library(scotch_library scotch NO_CACHE)
find_library(scotch_error_library scotcherr NO_CACHE)
if(scotch_include AND scotch_library AND scotch_error_library)
  berth_settle(SCOTCH "")
else()
  berth_settle(SCOTCH "Scotch (package libscotch-dev)")
endif()
if(BERTH_HAS_SCOTCH)
  berth_import(scotch ${scotch_include} ${scotch_library} ${scotch_error_library})
endif()

foreach(name IN ITEMS OPENVINO TORCH MPI)
  set(BERTH_HAS_${name} 0)
  set(BERTH_WHY_NOT_${name} "its module is not written yet")
endforeach()

configure_file(${PROJECT_SOURCE_DIR}/cmake/build_config.h.in
               ${PROJECT_BINARY_DIR}/generated/berth/modules/build_config.h)
