// SPDX-License-Identifier: BSD-3-Clause
// Columns of a table: the loop for the instruction-set level in use.
#include "engine/tiles/loops/split_columns.hpp"

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {

SplitColumns find_split_columns(std::int64_t item_bytes, std::size_t columns) {
  return isa() >= Isa::avx2 ? avx2::find_split_columns(item_bytes, columns)
                            : baseline::find_split_columns(item_bytes, columns);
}

}  // namespace gamelan::engine::tiles
