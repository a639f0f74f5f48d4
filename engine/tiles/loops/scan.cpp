// SPDX-License-Identifier: BSD-3-Clause
// Running folds by name: looks the typed loop up for the instruction-set level in use and calls it.
#include "engine/tiles/loops/scan.hpp"

#include <string>

#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/loops/scan_tables.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {
namespace {

ScanLoops require(protocol::Op op, protocol::Dtype dtype) {
  const auto found = isa() >= Isa::avx2 ? avx2::scan_loops(op, dtype) : baseline::scan_loops(op, dtype);
  if (found.scan != nullptr) return found;
  throw protocol::Error(protocol::ErrorKind::internal, "[" + std::string(protocol::info(op).name) +
                                                           "] does not accumulate over " +
                                                           std::string(protocol::info(dtype).name));
}

}  // namespace

void scan_lines(protocol::Op op, protocol::Dtype dtype, const void* in, std::int64_t lines,
                std::int64_t length, const void* starts, void* out) {
  require(op, dtype).scan(in, lines, length, starts, out);
}

void fold_lines(protocol::Op op, protocol::Dtype dtype, const void* in, std::int64_t lines,
                std::int64_t length, void* out) {
  require(op, dtype).fold(in, lines, length, out);
}

}  // namespace gamelan::engine::tiles
