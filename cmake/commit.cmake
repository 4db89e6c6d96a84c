# Run at every build: writes the commit into `output`, and leaves the file alone when it has not
# changed, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.22)
find_program(git git)
set(commit "")
if(git AND EXISTS ${source}/.git)
  execute_process(COMMAND ${git} describe --always --dirty --exclude=* --abbrev=12
                  WORKING_DIRECTORY ${source} OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${output} CONTENT "#pragma once\n\n#define BERTH_COMMIT \"@commit@\"\n" @ONLY)
