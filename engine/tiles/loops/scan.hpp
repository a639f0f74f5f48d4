// SPDX-License-Identifier: BSD-3-Clause
// Running folds of lines that lie one after another in a buffer of the loop dtype. Several lines are computed
// side by side, because one line is a chain of dependent operations, which leaves most of a processor idle.
// `op` and dtype as for fold.hpp.
#pragma once
#include <cstdint>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// out[line][i] = start[line] op (in[line][0] op ... op in[line][i]), from the left; without `starts` the
/// fold alone. `out` may be `in`.
void scan_lines(protocol::Op op, protocol::Dtype dtype, const void* in, std::int64_t lines,
                std::int64_t length, const void* starts, void* out);
/// out[line] = in[line][0] op ... op in[line][length - 1], from the left; length >= 1.
void fold_lines(protocol::Op op, protocol::Dtype dtype, const void* in, std::int64_t lines,
                std::int64_t length, void* out);

}  // namespace gamelan::engine::tiles
