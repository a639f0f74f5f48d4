// SPDX-License-Identifier: BSD-3-Clause
// Options whose values are words, and the words: one table for the command line, the environment and
// Configure.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace gamelan::engine {

/// An option and its possible values.
struct Choice {
  std::string_view option;
  std::array<std::string_view, 3> words;  ///< in the order of the enum that they name
};
inline constexpr std::array<Choice, 4> choices{{
    {"balance", {"off", "on", "always"}},     // steps::Balance
    {"compile", {"off", "hot", "always"}},    // tiles::Compiling
    {"isa", {"baseline", "avx2", "avx512"}},  // tiles::Isa
    {"tiling", {"off", "on", "always"}},      // plan::Tiling
}};

/// The index of `word` among the option's words. Throws Error{value} when it is not one of them.
inline std::size_t choose(std::string_view option, const std::string& word) {
  for (const Choice& choice : choices) {
    if (choice.option != option) continue;
    const auto& words = choice.words;
    for (std::size_t index = 0; index < words.size(); ++index)
      if (words[index] == word) return index;
    throw protocol::Error(protocol::ErrorKind::value,
                          "got '" + word + "', expected " + std::string(words[0]) + ", " +
                              std::string(words[1]) + " or " + std::string(words[2]));
  }
  throw protocol::Error(protocol::ErrorKind::internal, "no choice is called " + std::string(option));
}

}  // namespace gamelan::engine
