// SPDX-License-Identifier: BSD-3-Clause
// std::source_location for clang-tidy 14, whose compiler lacks what GCC's header needs. Included before every
// file that `tests/run tidy` reads, and by nothing else.
#pragma once
#include <source_location>

#ifndef __cpp_lib_source_location
namespace std {
struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(),
                                           const char* function = __builtin_FUNCTION(),
                                           unsigned line = __builtin_LINE()) {
    return {file, function, line};
  }
  constexpr const char* file_name() const { return file; }
  constexpr const char* function_name() const { return function; }
  constexpr unsigned line() const { return where; }
  const char* file = "";
  const char* function = "";
  unsigned where = 0;
};
}  // namespace std
#endif
