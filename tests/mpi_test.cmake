# SPDX-License-Identifier: BSD-3-Clause
# gamelan_add_mpi_test(name SOURCES ... [RANKS 1 2 3 4] [LIBS ...] [TIMEOUT 240] [ENVIRONMENT VAR=value ...] [ARGS ...])
# One gtest executable, registered as name.npN for every number of ranks. MPI and GA are started once by mpi_main.cpp,
# which also merges the results of the ranks.
add_library(gamelan_mpi_main OBJECT ${CMAKE_CURRENT_LIST_DIR}/mpi_main.cpp)
target_link_libraries(gamelan_mpi_main PUBLIC gamelan_distribution GTest::gtest)
set(GAMELAN_MPI_RUN ${CMAKE_CURRENT_LIST_DIR}/mpi_run.sh)

function(gamelan_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;RANKS;LIBS;ENVIRONMENT;ARGS")
  if(NOT TARGET ${name})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE gamelan_mpi_main ${arg_LIBS} GTest::gtest)
    target_compile_options(${name} PRIVATE -O1)  # the tests themselves need not be fast; they build faster
    gamelan_reuse_test_headers(${name})
  endif()
  gamelan_run_mpi_test(${name} ${name} ${ARGN})
endfunction()

# gamelan_run_mpi_test(name executable ...): register an existing executable again, under another name.
function(gamelan_run_mpi_test name executable)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "SOURCES;RANKS;LIBS;ENVIRONMENT;ARGS")
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 3 4)
  endif()
  if(GAMELAN_MPI STREQUAL mpich)
    list(APPEND arg_ENVIRONMENT MPI_TEST_FAMILY=mpich MPI_TEST_MPIEXEC=${MPIEXEC_EXECUTABLE})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 240)
  endif()
  math(EXPR patience "${arg_TIMEOUT} + 15")  # the script ends the job first, so that nothing is left over
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ${name}.np${ranks}
      COMMAND ${GAMELAN_MPI_RUN} ${arg_TIMEOUT} ${ranks} $<TARGET_FILE:${executable}> ${arg_ARGS})
    set_tests_properties(${name}.np${ranks} PROPERTIES
      LABELS mpi TIMEOUT ${patience} PROCESSORS ${ranks} SKIP_RETURN_CODE 77 ENVIRONMENT "${arg_ENVIRONMENT}")
  endforeach()
endfunction()
