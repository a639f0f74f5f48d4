# SPDX-License-Identifier: BSD-3-Clause
# Which instruction-set levels are built: all, or with GAMELAN_LEVELS=native what this machine uses. Packages, clusters and tests
# need all; loops are a quarter of a build from nothing. Sets gamelan_lowest and gamelan_highest, numbers of Isa (loops/isa.hpp), and gamelan_has_LEVEL_LOOPS.
set(gamelan_levels baseline avx2 avx512)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(gamelan_lowest 0)
  set(gamelan_highest 0)
elseif(GAMELAN_LEVELS STREQUAL "all")
  set(gamelan_lowest 0)
  set(gamelan_highest 2)
elseif(GAMELAN_LEVELS STREQUAL "native")
  if(BUILD_TESTING)
    message(FATAL_ERROR "Tests run at every level: GAMELAN_LEVELS=native goes with -DBUILD_TESTING=OFF")
  endif()
  # As loops/isa.cpp asks.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/native.cpp [[
    int main() {
      __builtin_cpu_init();
      if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c")) return 0;
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") ? 2 : 1;
    }]])
  try_run(gamelan_highest gamelan_compiles ${CMAKE_CURRENT_BINARY_DIR}/native ${CMAKE_CURRENT_BINARY_DIR}/native.cpp)
  if(NOT gamelan_compiles OR NOT gamelan_highest MATCHES "^[0-2]$")
    message(FATAL_ERROR "GAMELAN_LEVELS=native: this processor cannot be asked; take -DGAMELAN_LEVELS=all")
  endif()
  set(gamelan_lowest ${gamelan_highest})
else()
  message(FATAL_ERROR "GAMELAN_LEVELS is ${GAMELAN_LEVELS}: expected all or native")
endif()
list(GET gamelan_levels ${gamelan_highest} gamelan_highest_name)
message(STATUS "Loops for: ${GAMELAN_LEVELS} (up to ${gamelan_highest_name})")

# Whether a level has its loops: `large` (wide integers, reals), `small` (the rest of the element-wise ones), `pairs`, `other`
# (casts, folds, scans). The baseline always has the element-wise ones: what takes no operand exists only there.
set(gamelan_has_baseline_small ON)
set(gamelan_has_baseline_large ON)
foreach(level_and_loops 0/baseline/pairs/0 0/baseline/other/0 1/avx2/small/2 1/avx2/other/2 1/avx2/large/1 1/avx2/pairs/1 2/avx512/large/2 2/avx512/pairs/2)
  # First and last of the levels of a machine that looks here.
  string(REPLACE "/" ";" words ${level_and_loops})
  list(GET words 0 first)
  list(GET words 1 level)
  list(GET words 2 loops)
  list(GET words 3 last)
  if(gamelan_highest GREATER_EQUAL first AND gamelan_lowest LESS_EQUAL last)
    set(gamelan_has_${level}_${loops} ON)
  else()
    set(gamelan_has_${level}_${loops} OFF)
  endif()
endforeach()
