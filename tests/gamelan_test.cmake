# SPDX-License-Identifier: BSD-3-Clause
# How a test of one process is declared; every one of them ends within 90 s or has failed (the longest takes 9 on a quiet
# machine). mpi_test.cmake is its counterpart for tests that need ranks.
include(GoogleTest)
if(GAMELAN_PRECOMPILE)
  # One precompiled header for all tests, made by the options of a program.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp "// Of no test: only its precompiled header is wanted.\n")
  add_library(gamelan_test_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(gamelan_test_headers PRIVATE gamelan_options gamelan_plan GTest::gtest)
  target_compile_options(gamelan_test_headers PRIVATE -O1 -fPIE)
  set_target_properties(gamelan_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(gamelan_test_headers PRIVATE <gtest/gtest.h> ${gamelan_standard_headers} ${CMAKE_SOURCE_DIR}/engine/plan/plan.hpp)
endif()
set(gamelan_test_timeout_s 300)  # where they run beside others, these come first (tests/tier_table.py)

# gamelan_reuse_test_headers(name): where headers are precompiled, this test takes those of all tests.
function(gamelan_reuse_test_headers name)
  if(TARGET gamelan_test_headers)
    target_precompile_headers(${name} REUSE_FROM gamelan_test_headers)
  endif()
endfunction()

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
  gamelan_reuse_test_headers(${name})
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
