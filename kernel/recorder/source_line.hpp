// SPDX-License-Identifier: BSD-3-Clause
// A line of the user's program, as a command carries it until its batch is cut. Cheap to take and to compare;
// current_line.cpp resolves it to file and line.
#pragma once
#include <cstddef>
#include <functional>

namespace gamelan::kernel {

/// A code object and an instruction offset in it, compared by identity only.
struct SourceLine {
  const void* code = nullptr;
  int offset = 0;
  bool operator==(const SourceLine&) const = default;
};

struct SourceLineHash {
  std::size_t operator()(const SourceLine& line) const {
    return std::hash<const void*>{}(line.code) * 31 + static_cast<std::size_t>(line.offset);
  }
};

}  // namespace gamelan::kernel
