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

# Of OpenVINO the module is there, but not the library; of LibTorch not even the module. Each is one
# line, and so it is where the build has neither.
file(GLOB_RECURSE torch_module ${scratch}/prefix/libberth-torch.so)
if(torch_module)
  file(REMOVE ${torch_module})
endif()
run(${scratch}/build/consumer)
string(CONCAT expected "^berth [0-9]+\\.[0-9]+\\.[0-9]+\n"
       "(the OpenVINO module does not load: |this build of berth has no OpenVINO: )[^\n]+\n"
       "(the LibTorch module is missing: expected |this build of berth has no LibTorch: )[^\n]+\n$")
if(NOT output MATCHES "${expected}")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
run(${scratch}/prefix/bin/berth --help)
