# SPDX-License-Identifier: BSD-3-Clause
# Precompiled headers of the standard library and of what the notebook side builds on: GAMELAN_PRECOMPILE=ON, which deploy/demo
# and tests/run set. A build from nothing then takes three quarters of the time. It is off where developers build: ccache finds
# less again, and a source that forgets an include would compile. Included after all targets are known.
set(gamelan_standard_headers <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstring> <deque>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map>
  <utility> <variant> <vector>)

# GCC 12 sees an overflow within std::string, which is not there, where the header is precompiled.
target_compile_options(gamelan_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)

# One for all targets that are compiled by the same options.
target_precompile_headers(gamelan_protocol PRIVATE ${gamelan_standard_headers})
foreach(target gamelan_server gamelan_nodes gamelan_distribution gamelan_distribution_local gamelan_jit gamelan_tiles)
  target_precompile_headers(${target} REUSE_FROM gamelan_protocol)
endforeach()
target_precompile_headers(gamelan_plan PRIVATE ${gamelan_standard_headers} ${CMAKE_SOURCE_DIR}/engine/plan/plan.hpp)
target_precompile_headers(gamelan_session REUSE_FROM gamelan_plan)
# Sources with options of their own.
set_source_files_properties(${CMAKE_SOURCE_DIR}/engine/tiles/loops/matmul.cpp TARGET_DIRECTORY gamelan_tiles
  PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

target_precompile_headers(gamelan_core PRIVATE <Python.h> ${gamelan_standard_headers})
if(GAMELAN_KERNEL)
  target_precompile_headers(gamelan-front PRIVATE <pybind11/pybind11.h> <xeus/xinterpreter.hpp> <nlohmann/json.hpp> ${gamelan_standard_headers})
endif()
