// SPDX-License-Identifier: BSD-3-Clause
// Assertions check programmers, never users. There are three levels, chosen at build (GAMELAN_ASSERT_LEVEL):
// cheap (constant time), costly (walks data), collective (all ranks must evaluate it, as it may send
// messages). A failed one throws Error{internal}. A condition above the chosen level is compiled, so that it
// stays valid, but not run.
#pragma once
#include <source_location>
#include <string>

#include "protocol/error.hpp"

namespace gamelan::engine {

enum class AssertLevel { none, cheap, costly, collective };

#ifndef GAMELAN_ASSERT_LEVEL
#define GAMELAN_ASSERT_LEVEL cheap
#endif
inline constexpr AssertLevel assert_level = AssertLevel::GAMELAN_ASSERT_LEVEL;

[[noreturn]] inline void assertion_failed(const char* condition, const std::string& message,
                                          std::source_location where = std::source_location::current()) {
  throw protocol::Error(protocol::ErrorKind::internal, std::string(where.file_name()) + ":" +
                                                           std::to_string(where.line()) + ": " + message +
                                                           " (expected " + condition + ")");
}

}  // namespace gamelan::engine

#define GAMELAN_ASSERT(level, condition, message)                                             \
  do {                                                                                        \
    if constexpr (::gamelan::engine::AssertLevel::level <= ::gamelan::engine::assert_level) { \
      if (!(condition)) ::gamelan::engine::assertion_failed(#condition, message);             \
    }                                                                                         \
  } while (false)
