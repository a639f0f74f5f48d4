# SPDX-License-Identifier: BSD-3-Clause
# How a test of one process is declared; every one of them ends within 90 s or has failed (the longest takes 9 on a quiet
# machine). mpi_test.cmake is its counterpart for tests that need ranks.
include(GoogleTest)
set(gamelan_test_timeout_s 90)

# gamelan_add_test(name SOURCES a_test.cpp ... LIBS gamelan_protocol ... [LABELS pure])
# One gtest program; each of its cases is a test of ctest. The label is `pure` (no MPI, no engine) unless given.
function(gamelan_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS pure)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gamelan_options ${arg_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O1)  # the tests themselves need not be fast; they build faster
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name}
    TEST_PREFIX ${name}/
    PROPERTIES TIMEOUT ${gamelan_test_timeout_s} LABELS "${arg_LABELS}")
endfunction()

# gamelan_add_script_test(name script.py [ARGS ...] [LABELS pure])
# A Python script that exits with 0 when all is well; runs under the Python that the kernel embeds.
function(gamelan_add_script_test name script)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS pure)
  endif()
  add_test(NAME ${name} COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${gamelan_test_timeout_s} LABELS "${arg_LABELS}")
endfunction()
