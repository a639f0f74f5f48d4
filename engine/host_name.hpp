// SPDX-License-Identifier: BSD-3-Clause
// The name of this machine, for messages and the connection file.
#pragma once
#include <unistd.h>

#include <string>

namespace gamelan::engine {

inline std::string host_name() {
  char text[256] = {};
  return gethostname(text, sizeof text - 1) == 0 ? text : "?";
}

}  // namespace gamelan::engine
