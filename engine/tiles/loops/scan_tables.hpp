// SPDX-License-Identifier: BSD-3-Clause
// For engine/tiles/loops only: the running folds of one op and dtype, defined by scan_loops.cpp once per
// instruction-set level.
#pragma once
#include <cstdint>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

struct ScanLoops {
  void (*scan)(const void* in, std::int64_t lines, std::int64_t length, const void* starts,
               void* out) = nullptr;
  void (*fold)(const void* in, std::int64_t lines, std::int64_t length, void* out) = nullptr;
};

namespace baseline {
ScanLoops scan_loops(protocol::Op op, protocol::Dtype dtype);
}
namespace avx2 {
ScanLoops scan_loops(protocol::Op op, protocol::Dtype dtype);
}

}  // namespace gamelan::engine::tiles
