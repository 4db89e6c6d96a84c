# How everything of berth is compiled: language, warnings, sanitizers, tools that save time, and
# where the results go.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# The build tree has the shape of the install tree, so a program finds libberth.so, and libberth.so
# finds its modules in berth/ beside it, by the same relative paths in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

option(BERTH_WERROR "Warnings are errors" OFF)
option(BERTH_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(BERTH_SANITIZE_THREADS "Thread sanitizer" OFF)
# Off because it does not pay: bench/simulator runs no faster, and each link takes 20 s of CPU.
option(BERTH_LTO "Link-time optimisation of libberth.so" OFF)

# Fields left out of a designated initialiser take their default; that is the point of one.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    -Wno-missing-field-initializers)
if(BERTH_WERROR)
  add_compile_options(-Werror)
endif()

# Nobody replaces single functions of libberth.so at load time; without this the compiler may not
# inline one exported function into another.
add_compile_options(-fno-semantic-interposition)

if(BERTH_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(BERTH_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
else()
  # A source missing from its list is an error of the link, not of the one command that calls it.
  # (Sanitizers leave symbols for the program to define.)
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,--no-undefined")
endif()

if(BERTH_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "BERTH_BUILD_FUZZ needs clang for libFuzzer; `make fuzz` picks it")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# ccache, told to see paths relative to the source tree: a second clone finds the objects of the
# first.
find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${BERTH_CCACHE})
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold BERTH_MOLD_WORKS)
if(BERTH_MOLD_WORKS)
  add_link_options(-fuse-ld=mold)
endif()
