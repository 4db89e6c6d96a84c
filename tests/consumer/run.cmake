# Installs berth into a fresh directory, then builds and runs the project beside this file against
# the installed package. Called by ctest with the directories `build`, `source` and `scratch`.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix --component berth)
run(${CMAKE_COMMAND} -S ${source} -B ${scratch}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${scratch}/prefix -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
if(NOT output MATCHES "^berth [0-9]+\\.[0-9]+\\.[0-9]+\n$")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
if(EXISTS ${scratch}/prefix/bin/berth)
  run(${scratch}/prefix/bin/berth --help)
endif()
