// SPDX-License-Identifier: BSD-3-Clause
// How many messages a fuzz test tries: few by default, GAMELAN_FUZZ times as many for whoever has the time.
#pragma once
#include <cstdlib>

namespace gamelan::test {

inline int fuzz_count(int by_default) {
  const char* text = std::getenv("GAMELAN_FUZZ");
  const int factor = text == nullptr ? 1 : std::atoi(text);
  return by_default * (factor > 0 ? factor : 1);
}

}  // namespace gamelan::test
